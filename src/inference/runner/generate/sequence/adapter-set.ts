// The adapters of a request. Adapters apply to a context as a whole, so a pass has requests of one set only, and the
// KV cache of one set is wrong for another: sequences of different sets share nothing.

import { HearthError } from '../../../../base/errors.ts';
import { parseAdapterScale } from '../../../../models/adapter-scale.ts';

export interface AdapterSet {
  /** The same for the same adapters and scales. Empty: all of them, as the model defines it. */
  readonly key: string;
  /** One for each adapter of the model; 0: not applied. */
  readonly scales: readonly number[];
}

/** `chosen` has the text form of the option; undefined: all. `count` is the number of adapters of the model. */
export function toAdapterSet(chosen: readonly string[] | undefined, count: number): AdapterSet {
  const all = new Array<number>(count).fill(1);
  if (chosen === undefined) return { key: '', scales: all };
  const scales = new Array<number>(count).fill(0);
  for (const text of chosen) {
    const { id, scale } = parseAdapterScale(text) ?? { id: count, scale: 0 };
    if (id >= count) throw unknownAdapter(text, count);
    scales[id] = Math.fround(scale);
  }
  const isAll = scales.every((scale) => scale === 1);
  return { key: isAll ? '' : scales.join(' '), scales };
}

function unknownAdapter(text: string, count: number): HearthError {
  const known = count === 0 ? 'has no adapters' : count === 1 ? 'has one, 0' : `has ${count}, from 0 to ${count - 1}`;
  return new HearthError('bad_request', `adapter ${text} does not exist: the model ${known}`);
}
