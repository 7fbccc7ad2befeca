// onnx.js - writes ONNX models, enough of the format for the tests' oracles.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model is a protobuf message (onnx.proto3 of the ONNX standard); the field numbers below are
// those of that file. Only what the oracles need: float graphs with attributes of simple types.
'use strict';

const FLOAT = 1, INT64 = 7;

function varint(value) {
  let v = BigInt.asUintN(64, BigInt(value));
  const bytes = [];
  do {
    let byte = Number(v & 0x7fn);
    v >>= 7n;
    if (v) byte |= 0x80;
    bytes.push(byte);
  } while (v);
  return Buffer.from(bytes);
}

const integer = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);
function bytes(field, value) {
  const body = Buffer.isBuffer(value) ? value : Buffer.from(value, 'utf8');
  return Buffer.concat([varint((field << 3) | 2), varint(body.length), body]);
}
function float32(field, value) {
  const body = Buffer.alloc(4);
  body.writeFloatLE(value);
  return Buffer.concat([varint((field << 3) | 5), body]);
}

// AttributeProto: name 1, f 2, i 3, ints 8, type 20 (FLOAT 1, INT 2, INTS 7).
function attribute(name, value) {
  const parts = [bytes(1, name)];
  if (Array.isArray(value)) {
    for (const v of value) parts.push(integer(8, v));
    parts.push(integer(20, 7));
  } else if (typeof value === 'bigint') {
    parts.push(integer(3, value), integer(20, 2));
  } else {
    parts.push(float32(2, value), integer(20, 1));
  }
  return Buffer.concat(parts);
}

// ValueInfoProto: name 1, type 2 -> TypeProto.tensor_type 1 -> elem_type 1, shape 2 -> dim 1 ->
// dim_value 1.
function valueInfo(name, shape, type = FLOAT) {
  const dims = Buffer.concat(shape.map((d) => bytes(1, integer(1, d))));
  const tensor = Buffer.concat([integer(1, type), bytes(2, dims)]);
  return Buffer.concat([bytes(1, name), bytes(2, bytes(1, tensor))]);
}

// TensorProto: dims 1, data_type 2, name 8, raw_data 9.
function int64Initializer(name, values) {
  const raw = Buffer.alloc(8 * values.length);
  values.forEach((v, i) => raw.writeBigInt64LE(BigInt(v), 8 * i));
  return Buffer.concat([
    integer(1, values.length), integer(2, INT64), bytes(8, name), bytes(9, raw)]);
}

// NodeProto: input 1, output 2, name 3, op_type 4, attribute 5.
function node(op, inputs, outputs, attributes = {}) {
  return Buffer.concat([
    ...inputs.map((name) => bytes(1, name)), ...outputs.map((name) => bytes(2, name)),
    bytes(4, op),
    ...Object.entries(attributes).map(([k, v]) => bytes(5, attribute(k, v)))]);
}

// {nodes: [[op, inputs, outputs, attributes]], inputs: {name: shape}, outputs: {name: shape},
//  constants: {name: [int64]}} -> bytes of a model.
function model({nodes, inputs, outputs, constants = {}}) {
  // GraphProto: node 1, name 2, initializer 5, input 11, output 12.
  const graph = Buffer.concat([
    ...nodes.map((n) => bytes(1, node(...n))), bytes(2, 'graph'),
    ...Object.entries(constants).map(([k, v]) => bytes(5, int64Initializer(k, v))),
    ...Object.entries(inputs).map(([k, v]) => bytes(11, valueInfo(k, v))),
    ...Object.entries(outputs).map(([k, v]) => bytes(12, valueInfo(k, v)))]);
  // ModelProto: ir_version 1, graph 7, opset_import 8 -> version 2.
  return Buffer.concat([integer(1, 8), bytes(7, graph), bytes(8, integer(2, 17))]);
}

function rowChain(op, parameters, attributes, rows, columns, chain) {
  const nodes = [];
  for (let i = 0; i < chain; ++i)
    nodes.push([op, [i ? `t${i - 1}` : 'x', ...parameters], [i + 1 === chain ? 'y' : `t${i}`],
                attributes]);
  const inputs = {x: [rows, columns]};
  for (const name of parameters) inputs[name] = [columns];
  return {nodes, inputs, outputs: {y: [rows, columns]}};
}

// The graphs of resources/examples, by name and sizes.
const graphs = {
  // y = x W ... W, `chain` times; the factors are inputs, so that nothing is packed beforehand.
  matmul({m, n, k, chain = 1}) {
    if (chain > 1 && n !== k) throw new Error('a chain needs n == k');
    const nodes = [];
    let last = 'a';
    for (let i = 0; i < chain; ++i) {
      const out = i + 1 === chain ? 'c' : `t${i}`;
      nodes.push(['MatMul', [last, 'b'], [out]]);
      last = out;
    }
    return {nodes, inputs: {a: [m, k], b: [k, n]}, outputs: {c: [m, n]}};
  },
  // silu(x Wg) * (x Wu), then Wd; the output feeds the next of the chain.
  swiglu_ffn({tokens, hidden, intermediate, chain = 1}) {
    const nodes = [];
    let x = 'x';
    for (let i = 0; i < chain; ++i) {
      const y = i + 1 === chain ? 'y' : `y${i}`;
      nodes.push(['MatMul', [x, 'w_gate'], [`g${i}`]], ['MatMul', [x, 'w_up'], [`u${i}`]],
                 ['Sigmoid', [`g${i}`], [`s${i}`]], ['Mul', [`g${i}`, `s${i}`], [`a${i}`]],
                 ['Mul', [`a${i}`, `u${i}`], [`h${i}`]], ['MatMul', [`h${i}`, 'w_down'], [y]]);
      x = y;
    }
    return {nodes, inputs: {x: [tokens, hidden], w_gate: [hidden, intermediate],
                            w_up: [hidden, intermediate], w_down: [intermediate, hidden]},
            outputs: {y: [tokens, hidden]}};
  },
  // Operators on the rows of a matrix; the result feeds the next of the chain.
  softmax({rows, columns, chain = 1}) {
    return rowChain('Softmax', [], {axis: -1n}, rows, columns, chain);
  },
  layer_norm({rows, columns, epsilon, chain = 1}) {
    return rowChain('LayerNormalization', ['weight', 'bias'], {axis: -1n, epsilon}, rows, columns,
                    chain);
  },
  // Known to ONNX Runtime by this name; the standard has it in later versions only.
  rms_norm({rows, columns, epsilon, chain = 1}) {
    return rowChain('SimplifiedLayerNormalization', ['weight'], {axis: -1n, epsilon}, rows, columns,
                    chain);
  },
};

module.exports = {model, graphs};
