/**
 * The hidden layer of additive scoring written out, for the plate on cost to time: what additiveScores does without. cpp/bindings/fast/more.cpp is the
 * other side.
 *
 * @import { FastMemory, FastTensor, Only, Operand, Written } from './fast-memory.js'
 *
 * @typedef {object} FastHiddenOptions
 * @property {Operand} queries (1, n, h), projected already
 * @property {Operand} keys (1, m, h)
 * @property {number} first query
 * @property {number} count of queries
 * @property {FastTensor} [output] (1, count * m, h)
 */
import { AttentionError } from './errors.js';
import { count as whole, knownOptions, shapeText } from './fast-checks.js';

/** @param {FastMemory} memory */
export const hiddenOf = (memory) => ({
  /**
   * tanh(q_i + k_j) of `count` queries from `first` on with every key: (1, count * m, h).
   * @template {FastHiddenOptions} O
   * @param {Only<O, FastHiddenOptions>} options
   * @returns {Written<O, 'output', O['queries']>}
   */
  additiveHidden(options) {
    knownOptions(options, ['queries', 'keys', 'first', 'count', 'output']);
    return memory.call(() => {
      const [queries, keys] = memory.operands(options, ['queries', 'keys']);
      for (const [name, { shape }] of Object.entries({ queries, keys })) {
        if (shape.length !== 3 || shape[0] !== 1) throw new AttentionError('wrong_shape', name, `${name}: shape ${shapeText(shape)}; allowed is (1, rows, hidden units)`);
      }
      const { first, count } = options;
      for (const [name, value] of Object.entries({ first, count })) whole(name, value);
      const [, m, h] = keys.shape;
      const shape = [1, count * m, h];
      const output = memory.output('output', options.output, shape, queries === options.queries);
      if (output.shape.join() !== shape.join()) throw new AttentionError('wrong_shape', 'output', `output: shape ${shapeText(output.shape)}; allowed is ${shapeText(shape)}`);
      memory.apart('output', output, { queries, keys });
      memory.words(0, queries.shape.slice(1));
      memory.words(2, [m, h]);
      memory.words(4, [count, m, h]);
      memory.words(7, [first]);
      memory.run('hidden', [queries.address, keys.address, output.address]);
      return memory.taken(output);
    });
  },
});
