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

function floatInitializer(name, value) {
  const raw = Buffer.alloc(4);
  raw.writeFloatLE(value);
  return Buffer.concat([integer(2, FLOAT), bytes(8, name), bytes(9, raw)]);
}

// NodeProto: input 1, output 2, name 3, op_type 4, attribute 5, domain 7.
// An operator beyond the standard is written with its domain: 'com.microsoft:Name'.
function node(op, inputs, outputs, attributes = {}) {
  const [name, domain] = op.split(':').reverse();
  return Buffer.concat([
    ...inputs.map((input) => bytes(1, input)), ...outputs.map((output) => bytes(2, output)),
    bytes(4, name),
    ...Object.entries(attributes).map(([k, v]) => bytes(5, attribute(k, v))),
    ...(domain ? [bytes(7, domain)] : [])]);
}

// {nodes: [[op, inputs, outputs, attributes]], inputs: {name: shape}, outputs: {name: shape},
//  constants: {name: [int64] or one float}} -> bytes of a model.
function model({nodes, inputs, outputs, constants = {}}) {
  // GraphProto: node 1, name 2, initializer 5, input 11, output 12.
  const graph = Buffer.concat([
    ...nodes.map((n) => bytes(1, node(...n))), bytes(2, 'graph'),
    ...Object.entries(constants).map(([k, v]) => bytes(
        5, Array.isArray(v) ? int64Initializer(k, v) : floatInitializer(k, v))),
    ...Object.entries(inputs).map(([k, v]) => bytes(11, valueInfo(k, v))),
    ...Object.entries(outputs).map(([k, v]) => bytes(12, valueInfo(k, v)))]);
  // ModelProto: ir_version 1, graph 7, opset_import 8 -> domain 1, version 2.
  return Buffer.concat([integer(1, 8), bytes(7, graph), bytes(8, integer(2, 17)),
                        bytes(8, Buffer.concat([bytes(1, 'com.microsoft'), integer(2, 1)]))]);
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
  // softmax(scale q kT + mask) v, written out; the result is the queries of the next of the chain.
  attention({heads, kv_heads = heads, queries, keys, depth, mask = true, chain = 1}) {
    const nodes = [];
    let q = 'q';
    for (let i = 0; i < chain; ++i) {
      const y = i + 1 === chain ? 'y' : `y${i}`;
      nodes.push(['Transpose', ['k'], [`kt${i}`], {perm: [0n, 2n, 1n]}],
                 ['MatMul', [q, `kt${i}`], [`qk${i}`]], ['Mul', [`qk${i}`, 'scale'], [`s${i}`]]);
      if (mask) nodes.push(['Add', [`s${i}`, 'mask'], [`m${i}`]]);
      nodes.push(['Softmax', [mask ? `m${i}` : `s${i}`], [`p${i}`], {axis: -1n}],
                 ['MatMul', [`p${i}`, 'v'], [y]]);
      q = y;
    }
    return {nodes, constants: {scale: 1 / Math.sqrt(depth)},
            inputs: {q: [heads, queries, depth], k: [kv_heads, keys, depth],
                     v: [kv_heads, keys, depth], ...(mask ? {mask: [queries, keys]} : {})},
            outputs: {y: [heads, queries, depth]}};
  },
  // The same as ONNX Runtime's own fused operator, which has the heads side by side in a row.
  fused_attention({heads, queries, keys, depth, mask = true, chain = 1}) {
    const nodes = [];
    let q = 'q';
    for (let i = 0; i < chain; ++i) {
      const y = i + 1 === chain ? 'y' : `y${i}`;
      nodes.push(['com.microsoft:MultiHeadAttention',
                  [q, 'k', 'v', ...(mask ? ['', '', 'mask'] : [])], [y],
                  {num_heads: BigInt(heads), scale: 1 / Math.sqrt(depth)}]);
      q = y;
    }
    return {nodes,
            inputs: {q: [1, queries, heads * depth], k: [1, keys, heads * depth],
                     v: [1, keys, heads * depth],
                     ...(mask ? {mask: [1, 1, queries, keys]} : {})},
            outputs: {y: [1, queries, heads * depth]}};
  },
};

module.exports = {model, graphs};
