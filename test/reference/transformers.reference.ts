// Checkpoints that transformers wrote: converted as llama.cpp's converter does, and computed by the engine as transformers
// does. Needs what the comparison with the converter needs, and transformers 5. HEARTH_REFERENCE_FAMILIES names some of them.

import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBackend } from '../../src/inference/runner/llama/find-backend.ts';
import { openBackend } from '../../src/inference/runner/llama/open-backend.ts';
import { writeFiles } from '../support/checkpoints/checkpoints.ts';
import { publishedSpecials } from '../support/checkpoints/published.ts';
import { bytePairFiles } from '../support/checkpoints/tokenizers.ts';
import { openBareModel } from '../support/families/bare-engine.ts';
import { openReferenceFolder } from './reference-folder.ts';

const folder = openReferenceFolder();
const chosen = (process.env['HEARTH_REFERENCE_FAMILIES'] ?? '').split(' ').filter((name) => name !== '');
// The engine rounds activations to F16 where weights are F16.
const tolerance = 0.01;
const api = openBackend(findBackend('cpu'));

mkdirSync(folder.at('logits'));
writeFiles(folder.at('tokenizers'), bytePairFiles({ pre: 'qwen2', specials: publishedSpecials }));
folder.runPython('write_checkpoints.py', folder.root, ...chosen);
const names = readdirSync(folder.at('checkpoints'));

const failures = new Map<string, unknown>();
beforeAll(async () => {
  for (const name of names) await folder.convert(name).catch((error: unknown) => failures.set(name, error));
  folder.convertTheirs();
});
afterAll(() => folder.remove());

describe.each(names)('%s', (name) => {
  test('the result of llama.cpp is the same', async () => {
    if (failures.has(name)) throw failures.get(name);
    expect(await folder.read('ours', name)).toEqual(await folder.read('theirs', name));
  });

  test('the engine computes what transformers computes', () => {
    const { ids, logits } = JSON.parse(readFileSync(folder.at('logits', `${name}.json`), 'utf8')) as {
      ids: number[];
      logits: number[][];
    };
    const model = openBareModel(api, folder.at('ours', name), () => false);
    const error = relativeError(
      model.logits(ids).map((row) => [...row]),
      logits,
    );
    model.close();
    console.log(`${name}: the logits differ by ${(100 * error).toFixed(3)} % of their spread`);
    expect(error).toBeLessThan(tolerance);
  });
});

/** The root of the mean squared difference over the standard deviation of the expected values. */
function relativeError(own: readonly number[][], expected: readonly number[][]): number {
  const values = expected.flat();
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const others = own.flat();
  const squares = values.reduce((sum, value, index) => sum + (value - (others[index] ?? Number.NaN)) ** 2, 0);
  return Math.sqrt(squares / variance);
}
