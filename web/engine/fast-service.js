/**
 * The far side of the protocol for the fast kernels: owns one instance of their module and answers calls in order, in a worker or in the page; it
 * knows neither. For the pool it keeps the keys and values that several pieces of an attention share; for the meter it keeps workloads and times
 * them. A trap spoils the instance, not the service: the call is refused with `core_failed`, and the next one finds a fresh instance.
 *
 * @import { Fast } from './fast.js'
 * @import { FastTensor } from './fast-memory.js'
 * @import { WasmSource } from './load.js'
 * @import { CallMessage, Reply, Request } from './protocol.js'
 */
import { AttentionError, errorValue } from './errors.js';
import * as protocol from './protocol.js';
import { SpanTable } from './fast-spans.js';
import { createStopwatch } from './stopwatch.js';

/** Addresses of the module are of 32 bits, and a tensor that stays is never copied; tensors given as data are. @typedef {{data: Float32Array, shape: number[]}} Data */

/** What the pool asks for, its rows of spans as the kernels take them: a message carries their fields. @param {any} request */
const withTable = ({ spans, ...rest }) => (spans === undefined ? rest : { ...rest, spans: new SpanTable(spans) });

/**
 * A tensor's elements for another thread: in `room` where they fit.
 * @param {FastTensor} tensor @param {ArrayBufferLike} [room]
 */
function copied({ view }, room) {
  if (!room || room.byteLength < view.byteLength) return view.slice();
  const copy = new Float32Array(room, 0, view.length);
  copy.set(view);
  return copy;
}

/**
 * What an instance does for the pool.
 * @param {Fast} fast
 * @returns {Record<string, (request: any) => unknown>}
 */
function poolMethods(fast) {
  /** @type {FastTensor[]} keys and values of the pieces to come */
  let held = [];
  const release = () => {
    for (const tensor of held) tensor.free();
    held = [];
  };
  return {
    tiles: (sizes) => fast.tiles(withTable(sizes)),
    attention: (operands) => fast.attention(withTable(operands)),
    // `spare`: arrays that have been copied from here, to be used again by whoever sent them; the output goes back where the queries came, if it has room there
    piece({ keys, values, queries: { shape, data: queries }, ...rest }) {
      const spare = [queries];
      if (keys) {
        release();
        for (const { shape: axes, data } of /** @type {Data[]} */ ([keys, values])) {
          held.push(fast.tensor(axes, data));
          spare.push(data);
        }
      }
      if (held.length < 2) throw new AttentionError('engine_unavailable', 'keys', 'A piece of an attention came without its keys.');
      const operand = fast.tensor(shape, queries);
      try {
        // of tensors come tensors
        const { tiles, ...made } = fast.attention({ queries: operand, keys: held[0], values: held[1], ...withTable(rest) });
        const { output, logNormalizer } = /** @type {Record<string, FastTensor>} */ (made);
        const answer = { output: copied(output, queries.buffer), logNormalizer: copied(logNormalizer), tiles, spare };
        output.free();
        logNormalizer.free();
        return answer;
      } finally {
        operand.free();
      }
    },
    release,
  };
}

/**
 * @param {(source: WasmSource) => Promise<Fast>} load a fresh instance
 * @param {() => number} [now] milliseconds
 * @returns {{handle(request: Request, tell?: (reply: Reply) => void): Promise<Reply>}}
 */
export function createFastService(load, now) {
  /** @type {WasmSource | undefined} */
  let source;
  /** @type {Record<string, (request: any) => unknown> | undefined} */
  let methods;

  const instantiate = async () => {
    const fast = await load(/** @type {WasmSource} */ (source));
    return { ...poolMethods(fast), ...createStopwatch(fast, now) };
  };

  /** @param {Request} request @returns {Promise<Reply>} */
  async function handle(request) {
    if (request.type === 'start') {
      try {
        const { type, ...given } = request;
        source = given;
        methods = await instantiate();
        return protocol.ready({ version: '', studies: [] });
      } catch (thrown) {
        return protocol.failed(errorValue(thrown));
      }
    }
    const { id, method, args } = /** @type {CallMessage} */ (request);
    try {
      if (!source) throw new AttentionError('engine_unavailable', '', 'The fast kernels have not been started.');
      methods ??= await instantiate();
      if (!Object.hasOwn(methods, method)) throw new AttentionError('unknown_parameter', 'method', `the fast kernels have no function '${method}'.`);
      return protocol.answer(id, methods[method](args[0]));
    } catch (thrown) {
      const error = errorValue(thrown);
      // the kernels' own functions hand a trap on as an error value
      if (error.code === 'core_failed') methods = undefined;
      return protocol.refusal(id, error);
    }
  }
  return { handle };
}
