/**
 * Models for onnxruntime-web, written as bytes: the few messages of the ONNX format (onnx.proto3: model, graph, node, attribute, tensor, value info)
 * that a graph of a handful of operators needs, in the wire format of protocol buffers. It reads nothing and checks no graph; the runtime does.
 *
 * @typedef {{name: string, shape: (number | string)[]}} Value a float32 tensor that goes in or comes out
 * @typedef {{op: string, inputs: string[], outputs: string[], attributes?: Record<string, number | number[] | {float: number}>, domain?: string}} Node
 *   attributes that are plain numbers are integers
 * @typedef {{name: string, shape: number[], values: Float32Array | BigInt64Array}} Constant
 */

/** Data types of TensorProto. */
const types = { float: 1, int64: 7 };

/** Types of AttributeProto. */
const attributeTypes = { float: 1, integer: 2, integers: 7 };

/** An unsigned number in groups of seven bits, least first; negative ones as 64-bit two's complement. @param {number | bigint} value @returns {number[]} */
function varint(value) {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes = [];
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return [...bytes, Number(rest)];
}

/** One message under construction: fields in the order they are added. */
class Message {
  /** @type {Uint8Array[]} */
  #parts = [];

  /** @param {number} field @param {number | bigint} value */
  number(field, value) {
    this.#parts.push(Uint8Array.from([...varint(field << 3), ...varint(value)]));
    return this;
  }

  /** @param {number} field @param {number} value */
  float(field, value) {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setFloat32(0, value, true);
    this.#parts.push(Uint8Array.from(varint((field << 3) | 5)), bytes);
    return this;
  }

  /** @param {number} field @param {string | Uint8Array | Message} value */
  bytes(field, value) {
    const content = value instanceof Message ? value.end() : typeof value === 'string' ? new TextEncoder().encode(value) : value;
    this.#parts.push(Uint8Array.from([...varint((field << 3) | 2), ...varint(content.length)]), content);
    return this;
  }

  end() {
    const out = new Uint8Array(this.#parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of this.#parts) {
      out.set(part, at);
      at += part.length;
    }
    return out;
  }
}

/** @param {Value} value */
function valueInfo({ name, shape }) {
  const dims = new Message();
  for (const size of shape) dims.bytes(1, typeof size === 'number' ? new Message().number(1, size) : new Message().bytes(2, size));
  return new Message().bytes(1, name).bytes(2, new Message().bytes(1, new Message().number(1, types.float).bytes(2, dims)));
}

/** @param {string} name @param {number | number[] | {float: number}} value */
function attribute(name, value) {
  const message = new Message().bytes(1, name);
  if (typeof value === 'number') return message.number(3, value).number(20, attributeTypes.integer);
  if (!Array.isArray(value)) return message.float(2, value.float).number(20, attributeTypes.float);
  for (const entry of value) message.number(8, entry);
  return message.number(20, attributeTypes.integers);
}

/** @param {Node} node */
function nodeMessage({ op, inputs, outputs, attributes = {}, domain }) {
  const message = new Message();
  for (const input of inputs) message.bytes(1, input);
  for (const output of outputs) message.bytes(2, output);
  message.bytes(4, op);
  for (const [name, value] of Object.entries(attributes)) message.bytes(5, attribute(name, value));
  if (domain !== undefined) message.bytes(7, domain);
  return message;
}

/** @param {Constant} constant the bytes are little-endian, as those of every machine that runs a browser */
function tensor({ name, shape, values }) {
  const message = new Message();
  for (const size of shape) message.number(1, size);
  return message
    .number(2, values instanceof Float32Array ? types.float : types.int64)
    .bytes(8, name)
    .bytes(9, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
}

/**
 * @param {object} graph
 * @param {Value[]} graph.inputs
 * @param {Value[]} graph.outputs
 * @param {Constant[]} [graph.constants]
 * @param {Node[]} graph.nodes in an order in which they can run
 * @param {number} [graph.opset] version of the standard operators
 * @returns {Uint8Array} the model's file
 */
export function onnxModel({ inputs, outputs, constants = [], nodes, opset = 17 }) {
  const graph = new Message();
  for (const node of nodes) graph.bytes(1, nodeMessage(node));
  graph.bytes(2, 'bench');
  for (const constant of constants) graph.bytes(5, tensor(constant));
  for (const input of inputs) graph.bytes(11, valueInfo(input));
  for (const output of outputs) graph.bytes(12, valueInfo(output));
  const opsets = [['', opset], ['com.microsoft', 1]].map(([domain, version]) => new Message().bytes(1, String(domain)).number(2, Number(version)));
  const model = new Message().number(1, 8).bytes(2, 'attention-plates').bytes(7, graph);
  for (const entry of opsets) model.bytes(8, entry);
  return model.end();
}
