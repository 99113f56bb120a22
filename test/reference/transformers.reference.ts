// Checkpoints that transformers wrote: converted as llama.cpp's converter does, and computed by the engine as transformers
// does: logits, or the vectors and scores of encoders. Needs what the comparison with the converter needs, and transformers 5. HEARTH_REFERENCE_FAMILIES names some of them.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBackend } from '../../src/inference/runner/llama/find-backend.ts';
import { openBackend } from '../../src/inference/runner/llama/open-backend.ts';
import { writeFiles } from '../support/checkpoints/checkpoints.ts';
import { referenceTokenizers } from '../support/checkpoints/reference-tokenizers.ts';
import { openBareModel } from '../support/families/bare-engine.ts';
import { openReferenceFolder } from './reference-folder.ts';

const folder = openReferenceFolder();
const chosen = (process.env['HEARTH_REFERENCE_FAMILIES'] ?? '').split(' ').filter((name) => name !== '');
// The engine rounds activations to F16 where weights are F16.
const tolerance = 0.01;
const api = openBackend(findBackend('cpu'));

for (const [name, files] of Object.entries(referenceTokenizers)) writeFiles(folder.at('tokenizers', name), files());
folder.runPython('write_checkpoints.py', folder.root, ...chosen);
const names = readdirSync(folder.at('checkpoints'));

const failures = new Map<string, unknown>();
beforeAll(async () => {
  for (const name of names) await folder.convert(name).catch((error: unknown) => failures.set(name, error));
  folder.convertTheirs();
});
afterAll(() => folder.remove());

interface Tokenized {
  readonly tokenized?: readonly { readonly text: string; readonly ids: readonly number[] }[] | null;
}

interface Logits extends Tokenized {
  readonly ids: readonly number[];
  readonly logits: readonly number[][];
}

interface Results extends Tokenized {
  readonly texts: readonly (readonly number[])[];
  readonly vectors: readonly number[][];
  /** Keys of the metadata that llama.cpp's converter leaves out. */
  readonly ours: readonly string[];
}

function read<Result>(kind: string, name: string): Result | undefined {
  const path = folder.at(kind, `${name}.json`);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Result) : undefined;
}

describe.each(names)('%s', (name) => {
  const results = read<Results>('vectors', name);
  const decoded = read<Logits>('logits', name);
  const tokenized = results?.tokenized ?? decoded?.tokenized;

  test('the result of llama.cpp is the same', async () => {
    if (failures.has(name)) throw failures.get(name);
    const own = await folder.read('ours', name);
    for (const key of results?.ours ?? []) delete own.metadata[key];
    expect(own).toEqual(await folder.read('theirs', name));
  });

  test('the engine computes what transformers computes', () => {
    const model = openBareModel(api, folder.at('ours', name), () => false);
    const [own, expected] =
      results === undefined
        ? [model.logits(decoded?.ids ?? []), decoded?.logits ?? []]
        : [results.texts.map((ids) => model.pool(ids)), results.vectors];
    model.close();
    const error = relativeError(
      own.map((row, index) => [...row].slice(0, expected[index]?.length)),
      expected,
    );
    console.log(`${name}: the results differ by ${(100 * error).toFixed(3)} % of their spread`);
    expect(error).toBeLessThan(tolerance);
  });

  test.runIf(tokenized)('the engine splits texts as transformers does', () => {
    const model = openBareModel(api, folder.at('ours', name), () => false);
    const own = tokenized?.map(({ text }) => ({ text, ids: model.tokenize(text) }));
    model.close();
    expect(own).toEqual(tokenized);
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
