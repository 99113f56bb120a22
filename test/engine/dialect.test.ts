// Models in the dialect of Ollama's library: they load, and they compute the same as the same weights in llama.cpp's
// dialect.

import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { translatedBytes } from '../../src/formats/gguf/dialect/read-dialect.ts';
import type { Engine, Lease } from '../../src/inference/engine/ports.ts';
import { resolveOptions } from '../../src/models/options.ts';
import { type PublishedRow, publishedRows } from '../support/architectures/published-rows.ts';
import { writeTinyModel } from '../support/architectures/tiny-model.ts';
import { answerOf, never, requestOf, startEngine } from '../support/engine.ts';
import { colors, drawPng } from '../support/models/draw.ts';

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
// Tokens that end an answer, or that are parts of an image.
const logitBias = Array.from({ length: 8 }, (_, token) => [token, -1e30] as const);

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
    return { plain, seen: projector && (await ask('See[img-0]this:', [image])) };
  } finally {
    lease.release();
  }
}

const rows = publishedRows();

test.each(rows.map((row) => [row.row, row] as const))('%s', async (name, row) => {
  const { plain, projector, published } = row;
  const [plainPath, projectorPath, publishedPath, translatedPath] = ['plain', 'mmproj', 'ollama', 'translated'].map(
    (kind) => join(folder, `${name}-${kind}.gguf`),
  ) as [string, string, string, string];
  writeTinyModel(plainPath, plain);
  if (projector !== undefined) writeTinyModel(projectorPath, projector);
  writeTinyModel(publishedPath, published);
  const expected = await compute(await open(`${name}-plain`, plainPath, projector && projectorPath), row);
  if (projector !== undefined)
    await pipeline(translatedBytes(publishedPath, 'projector'), createWriteStream(translatedPath));
  const found = await compute(await open(name, publishedPath, projector && translatedPath), row);
  expect(found).toEqual(expected);
});
