// Tiny models of the engine's architectures: Hearth computes the same as a loop over the engine alone, whatever the model
// keeps of a sequence.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLogger } from '../../src/base/logger.ts';
import { systemClock } from '../../src/base/time/clock.ts';
import { engineArchitectures } from '../../src/formats/gguf/engine-architectures.ts';
import type { Engine } from '../../src/inference/engine/ports.ts';
import { createPrefixFiles } from '../../src/inference/engine/prefix-files.ts';
import { writeTinyModel } from '../support/architectures/tiny-model.ts';
import { startEngine } from '../support/engine.ts';
import { type BareModel, openBareModel } from '../support/families/bare-engine.ts';
import {
  answerAlike,
  type Cells,
  check,
  checkAdapterRefusal,
  checkDisk,
  checkEmbeddings,
  checkOtherParallel,
  checkRefusal,
  checkText,
  expectOther,
  first,
  type Subject,
} from '../support/families/check-family.ts';
import { architectureOf, families, withoutModel } from '../support/families/families.ts';
import type { Family } from '../support/families/family-keys.ts';
import { openFamilyEngine } from '../support/families/tensor-shapes.ts';
import { excludedTokens, familyAdapter, familyModel } from '../support/families/write-family.ts';
import { quantizeDirectly } from '../support/models/ember-f16.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-families-'));
const engineOnly = openFamilyEngine(folder);
let engine: Engine;
let otherParallel: Engine;
beforeAll(async () => {
  const prefixFiles = createPrefixFiles({
    folder: join(folder, 'prefixes'),
    maxBytes: 2 ** 30,
    clock: systemClock,
    logger: silentLogger,
  });
  await prefixFiles.recover();
  const start = (numParallel: number): Engine =>
    startEngine({ numParallel, build: 'cpu', maxLoadedModels: 1 }, undefined, { prefixFiles });
  engine = start(2);
  otherParallel = start(3);
});
afterAll(async () => {
  await Promise.all([engine, otherParallel].map((one) => one.close(0)));
  rmSync(folder, { recursive: true });
});

// The others take minutes; npm run test:families.
const usual = 'llama qwen3moe gemma3 gpt-oss mamba2 lfm2 deepseek2 nomic-bert rwkv7 phi3 t5'.split(' ');
const chosen = process.env['HEARTH_TEST_FAMILIES'];
const names = chosen === undefined ? usual : chosen === 'all' ? [...families.keys()] : chosen.split(' ');

interface OpenOptions {
  readonly adapterPaths?: readonly string[];
  readonly rounds?: boolean;
}

const quantizations = { Q8_0: 7, Q4_K_M: 15 } as const;

test('every architecture of the engine has a row, or a reason', () => {
  const all = engineOnly.architectures();
  const rows = new Set([...families.keys()].map(architectureOf));
  expect([...rows, ...Object.keys(withoutModel)].sort()).toEqual([...all].sort());
  expect([...engineArchitectures].sort()).toEqual(all.filter((name) => name !== 'clip').sort());
});

test.each(names)('%s', async (row) => {
  const family = families.get(row) as Family;
  const name = architectureOf(row);
  const stem = join(folder, row.replace(':', '-'));
  const path = `${stem}.gguf`;
  const model = familyModel(engineOnly, name, family);
  writeTinyModel(path, model);
  const excluded = excludedTokens(model);
  const open = (file: string, { adapterPaths, rounds = family.rounds ?? false }: OpenOptions = {}): Subject => {
    let opened: BareModel | undefined;
    const bare = () =>
      (opened ??= openBareModel(engineOnly.api, file, (token) => excluded.includes(token), adapterPaths));
    return { engine, name: file, path: file, bare, excluded, rounds };
  };
  const subject = open(path);
  const cells: Cells = new Map();
  if (family.use === 'embeddings') await check(cells, 'embeddings', () => checkEmbeddings(subject));
  else if (family.use === 'refused') await check(cells, 'load', () => checkRefusal(subject));
  else await check(cells, 'load', () => checkText(subject, cells));
  if (chosen !== undefined && family.use === undefined) {
    const { parallel, adapter } = family.except ?? {};
    await check(cells, 'disk', () => checkDisk(subject));
    await engine.unload(subject.name);
    await check(cells, 'parallel', async () => {
      const reused = await checkOtherParallel({ ...subject, engine: otherParallel }, parallel === undefined);
      return parallel === undefined ? reused : `${parallel}, then ${reused}`;
    });
    for (const [type, number] of Object.entries(quantizations))
      await check(cells, type, async () => {
        const quantized = `${stem}-${type}.gguf`;
        quantizeDirectly(path, quantized, number);
        await answerAlike(open(quantized, { rounds: true }));
      });
    const adapterModel = familyAdapter(name, model);
    if (adapterModel !== undefined)
      await check(cells, 'adapter', async () => {
        const adapterPaths = [`${stem}-adapter.gguf`] as const;
        writeTinyModel(adapterPaths[0], adapterModel);
        if (adapter !== undefined) return (await checkAdapterRefusal(subject, adapterPaths)) && adapter;
        const adapted = await answerAlike(open(path, { adapterPaths }), { adapterPaths });
        expectOther(adapted, subject.bare().answer(first, 12));
        return 'yes';
      });
  }
  if (chosen !== undefined)
    console.log(`${row} | ${[...cells].map(([column, cell]) => `${column}: ${cell}`).join(' | ')}`);
  expect([...cells].filter(([, cell]) => cell.startsWith('FAILED'))).toEqual([]);
});
