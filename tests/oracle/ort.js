// ort.js - ONNX Runtime as an oracle and a peer, asked line by line.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: node ort.js MODULES
// MODULES is the folder that holds node_modules/onnxruntime-node. Requests and answers are one
// JSON object a line:
//   {"load": "matmul", "sizes": {...}, "threads": 1}  -> {"ok": true}
//   {"inputs": {"a": "a.f32", ...}}   raw little-endian floats; without: seeded by the oracle
//   {"run": 5}                        -> {"seconds": [..]} of each run
//   {"outputs": {"c": "c.f32"}}       runs once and writes raw floats
'use strict';
const fs = require('fs');
const path = require('path');
const readline = require('readline');
const {model, graphs} = require('./onnx.js');
const ort = require(path.join(path.resolve(process.argv[2]), 'node_modules', 'onnxruntime-node'));

let session, description, feeds;

function randomFloats(count, seed) {
  const data = new Float32Array(count);
  let state = seed >>> 0;
  for (let i = 0; i < count; ++i) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    data[i] = state / 2147483648 - 1;
  }
  return data;
}

const elements = (shape) => shape.reduce((a, b) => a * b, 1);

async function answer(request) {
  if (request.load) {
    description = graphs[request.load](request.sizes);
    session = await ort.InferenceSession.create(model(description), {
      intraOpNumThreads: request.threads, interOpNumThreads: 1, executionMode: 'sequential',
      graphOptimizationLevel: 'all'});
    feeds = {};
    Object.entries(description.inputs).forEach(([name, shape], i) => {
      feeds[name] = new ort.Tensor('float32', randomFloats(elements(shape), i + 1), shape);
    });
    return {ok: true, version: 'onnxruntime ' + (ort.env.versions && ort.env.versions.node)};
  }
  if (request.inputs) {
    for (const [name, file] of Object.entries(request.inputs)) {
      const shape = description.inputs[name];
      const bytes = fs.readFileSync(file);
      if (bytes.length !== 4 * elements(shape)) throw new Error(`${file}: wrong size for ${name}`);
      const copy = new Float32Array(elements(shape));
      Buffer.from(copy.buffer).set(bytes);
      feeds[name] = new ort.Tensor('float32', copy, shape);
    }
    return {ok: true};
  }
  if (request.run) {
    const seconds = [];
    for (let i = 0; i < request.run; ++i) {
      const begin = process.hrtime.bigint();
      await session.run(feeds);
      seconds.push(Number(process.hrtime.bigint() - begin) / 1e9);
    }
    return {seconds};
  }
  if (request.outputs) {
    const results = await session.run(feeds);
    for (const [name, file] of Object.entries(request.outputs)) {
      const data = results[name].data;
      fs.writeFileSync(file, Buffer.from(data.buffer, data.byteOffset, data.byteLength));
    }
    return {ok: true};
  }
  throw new Error('unknown request');
}

(async () => {
  for await (const line of readline.createInterface({input: process.stdin})) {
    let reply;
    try {
      reply = await answer(JSON.parse(line));
    } catch (error) {
      reply = {error: String(error.message || error)};
    }
    process.stdout.write(JSON.stringify(reply) + '\n');
  }
})();
