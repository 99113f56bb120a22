// Models in the dialect of Ollama's library: they load, and they compute the same as the same weights in llama.cpp's
// dialect.

import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readDialect, translatedBytes } from '../../src/formats/gguf/dialect/read-dialect.ts';
import { toFloats } from '../../src/formats/gguf/dialect/to-floats.ts';
import { type GgufTensor, readGgufFile } from '../../src/formats/gguf/read-gguf.ts';
import type { Engine, Lease } from '../../src/inference/engine/ports.ts';
import { resolveOptions } from '../../src/models/options.ts';
import { otherRows, type PublishedRow, publishedRows } from '../support/architectures/published-rows.ts';
import { vocabulary, writeTinyModel } from '../support/architectures/tiny-model.ts';
import { answerOf, never, requestOf, startEngine } from '../support/engine.ts';
import { colors, drawPng } from '../support/models/draw.ts';
import { quantizeDirectly } from '../support/models/ember-f16.ts';
import { repository } from '../support/repository.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-dialect-'));
let engine: Engine;
beforeAll(() => {
  engine = startEngine({ numParallel: 1, build: 'cpu', prefixCacheBytes: 0, maxLoadedModels: 1 });
});
afterAll(async () => {
  await engine.close(0);
  rmSync(folder, { recursive: true });
});

const image = drawPng({ shape: 'square', color: colors.blue, width: 112, height: 112 });
const otherImage = drawPng({ shape: 'circle', color: colors.red, width: 112, height: 112 });
// Tokens that end an answer, or that are parts of an image.
const logitBias = vocabulary.flatMap((token, index) => (token.length > 1 ? [[index, -1e30] as const] : []));

async function open(name: string, weightsPath: string, projectorPath: string | undefined): Promise<Lease> {
  const source = { kind: 'local' as const, key: name, weightsPath, projectorPath, adapterPaths: [], fileBytes: 1 };
  const { load } = resolveOptions({ numCtx: 512, numThread: 1, numBatch: 512 });
  return engine.acquire({ name, source, options: load }, never);
}

/** Tokens with their log probabilities, or an embedding. */
async function compute(lease: Lease, { row, projector }: PublishedRow): Promise<unknown> {
  try {
    if (row === 'embeddinggemma') return await lease.embed({ texts: ['Hello, you!'], truncate: true }, never);
    const options = { temperature: 0, numPredict: 8, repeatPenalty: 1 };
    const ask = async (prompt: string, images: readonly Buffer[]) => {
      const request = requestOf(prompt, options, { images, topLogprobs: 3, logitBias });
      const { text, logprobs } = await answerOf(lease.generate(request, never));
      return { text, logprobs };
    };
    const plain = await ask('Hello, you!', []);
    expect(plain.logprobs).toHaveLength(8);
    if (projector === undefined) return plain;
    const [seen, other] = [await ask('See[img-0]this:', [image]), await ask('See[img-0]this:', [otherImage])];
    expect(other.logprobs).not.toEqual(seen.logprobs);
    return { plain, seen, other };
  } finally {
    lease.release();
  }
}

// The others take half a minute; npm run test:dialects.
const usual = ['gptoss', 'embeddinggemma', 'qwen3vl'];
const isComplete = process.env['HEARTH_TEST_DIALECTS'] === '1';
const rows = isComplete
  ? [...publishedRows(), ...otherRows()]
  : publishedRows().filter(({ name }) => usual.includes(name));

const table: string[] = [];
afterAll(() => {
  if (isComplete) console.log(['row | header | loads | same results', ...table].join('\n'));
});

test.each(rows.map((row) => [row.name, row] as const))('%s', async (name, row) => {
  const { plain, projector, published, publishedProjector } = row;
  const [plainPath, projectorPath, publishedPath, translatedPath] = ['plain', 'mmproj', 'ollama', 'translated'].map(
    (kind) => join(folder, `${name}-${kind}.gguf`),
  ) as [string, string, string, string];
  writeTinyModel(plainPath, plain);
  if (projector !== undefined) writeTinyModel(projectorPath, projector);
  writeTinyModel(publishedPath, published);
  const embeddedPath = publishedProjector === undefined ? publishedPath : join(folder, `${name}-projector.gguf`);
  if (publishedProjector !== undefined) writeTinyModel(embeddedPath, publishedProjector);
  const cells = ['no', 'no', 'no'];
  try {
    const expected = await compute(await open(`${name}-plain`, plainPath, projector && projectorPath), row);
    expect((await readDialect(embeddedPath)).translation?.row).toBe(row.row);
    cells[0] = 'yes';
    if (projector !== undefined)
      await pipeline(translatedBytes(embeddedPath, 'projector'), createWriteStream(translatedPath));
    const lease = await open(name, publishedPath, projector && translatedPath);
    cells[1] = 'yes';
    expect(await compute(lease, row)).toEqual(expected);
    cells[2] = projector === undefined ? 'yes' : 'yes, with an image';
  } finally {
    table.push([name, ...cells].join(' | '));
  }
});

test('values of quantized tensors are the ones that llama.cpp computes', async () => {
  const path = repository('models/ember-q4_k_m.gguf');
  const plainPath = join(folder, 'ember-f32.gguf');
  quantizeDirectly(path, plainPath, 0);
  const [quantized, plain] = [
    await readGgufFile(path, { maxArray: 0 }),
    await readGgufFile(plainPath, { maxArray: 0 }),
  ];
  const [source, expected] = [readFileSync(path), readFileSync(plainPath)];
  for (const type of ['Q4_K', 'Q6_K']) {
    const tensor = quantized.tensors.find((candidate) => candidate.type.name === type) as GgufTensor;
    const { offset } = plain.tensors.find(({ name }) => name === tensor.name) as GgufTensor;
    const values = toFloats(source.subarray(tensor.offset, tensor.offset + tensor.bytes), tensor.type);
    const difference = values.reduce(
      (most, value, index) => Math.max(most, Math.abs(value - expected.readFloatLE(offset + 4 * index))),
      0,
    );
    expect(difference, type).toBeLessThan(1e-6);
  }
});
