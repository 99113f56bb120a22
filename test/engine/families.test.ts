// Tiny models of the engine's architectures: Hearth computes the same as a loop over the engine alone, whatever the model
// keeps of a sequence.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLogger } from '../../src/base/logger.ts';
import { systemClock } from '../../src/base/time/clock.ts';
import type { Engine } from '../../src/inference/engine/ports.ts';
import { createPrefixFiles } from '../../src/inference/engine/prefix-files.ts';
import { writeTinyModel } from '../support/architectures/tiny-model.ts';
import { startEngine } from '../support/engine.ts';
import { openBareModel } from '../support/families/bare-engine.ts';
import { type Cells, check, checkEmbeddings, checkMemory, checkText } from '../support/families/check-family.ts';
import { families, type Family } from '../support/families/families.ts';
import { openFamilyEngine } from '../support/families/tensor-shapes.ts';
import { familyModel } from '../support/families/write-family.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-families-'));
const family = openFamilyEngine(folder);
let engine: Engine;
beforeAll(async () => {
  const prefixFiles = createPrefixFiles({ folder: join(folder, 'prefixes'), maxBytes: 2 ** 30, clock: systemClock, logger: silentLogger });
  await prefixFiles.recover();
  engine = startEngine({ numParallel: 2, build: 'cpu', maxLoadedModels: 1 }, undefined, { prefixFiles });
});
afterAll(async () => {
  await engine.close(0);
  rmSync(folder, { recursive: true });
});

// The others take minutes; npm run test:families.
const usual = 'llama qwen3moe gemma3 gpt-oss mamba2 lfm2 deepseek2 nomic-bert rwkv7 phi3'.split(' ');
const chosen = process.env['HEARTH_TEST_FAMILIES'];
const names = chosen === undefined ? usual : chosen === 'all' ? [...families.keys()] : chosen.split(' ');

const table: string[] = [];
afterAll(() => {
  if (chosen !== undefined) console.log(table.join('\n'));
});

test.each(names)('%s', async (name) => {
  const own = families.get(name) as Family;
  const path = join(folder, `${name}.gguf`);
  const model = familyModel(family, name, own);
  writeTinyModel(path, model);
  const types = model.keys['tokenizer.ggml.token_type'];
  const excluded = types?.type === 'i32s' ? Array.from(types.value).flatMap((type, token) => (type === 2 || type === 3 ? [token] : [])) : [];
  const bare = openBareModel(family.api, path, (token) => excluded.includes(token));
  const subject = { engine, name, path, bare, excluded };
  const cells: Cells = new Map();
  try {
    await check(cells, 'memory', () => checkMemory(subject));
    if (own.use === 'embeddings') await check(cells, 'embeddings', () => checkEmbeddings(subject));
    else await check(cells, 'load', () => checkText(subject, cells));
  } finally {
    bare.close();
    rmSync(path);
    console.log(`${name} | ${[...cells].map(([column, cell]) => `${column}: ${cell}`).join(' | ')}`);
  }
  expect([...cells].filter(([, cell]) => cell.startsWith('FAILED'))).toEqual([]);
});
