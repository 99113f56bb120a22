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
  checkDisk,
  checkEmbeddings,
  checkRefusal,
  checkText,
  first,
  type Subject,
} from '../support/families/check-family.ts';
import { families, withoutModel } from '../support/families/families.ts';
import type { Family } from '../support/families/family-keys.ts';
import { openFamilyEngine } from '../support/families/tensor-shapes.ts';
import { excludedTokens, familyAdapter, familyModel } from '../support/families/write-family.ts';
import { quantizeDirectly } from '../support/models/ember-f16.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-families-'));
const engineOnly = openFamilyEngine(folder);
let engine: Engine;
beforeAll(async () => {
  const prefixFiles = createPrefixFiles({
    folder: join(folder, 'prefixes'),
    maxBytes: 2 ** 30,
    clock: systemClock,
    logger: silentLogger,
  });
  await prefixFiles.recover();
  engine = startEngine({ numParallel: 2, build: 'cpu', maxLoadedModels: 1 }, undefined, { prefixFiles });
});
afterAll(async () => {
  await engine.close(0);
  rmSync(folder, { recursive: true });
});

// The others take minutes; npm run test:families.
const usual = 'llama qwen3moe gemma3 gpt-oss mamba2 lfm2 deepseek2 nomic-bert rwkv7 phi3 t5'.split(' ');
const chosen = process.env['HEARTH_TEST_FAMILIES'];
const names = chosen === undefined ? usual : chosen === 'all' ? [...families.keys()] : chosen.split(' ');

const quantizations = { Q8_0: 7, Q4_K_M: 15 } as const;

test('every architecture of the engine has a row, or a reason', () => {
  const all = engineOnly.architectures();
  expect([...families.keys(), ...Object.keys(withoutModel)].sort()).toEqual([...all].sort());
  expect([...engineArchitectures].sort()).toEqual(all.filter((name) => name !== 'clip').sort());
});

test.each(names)('%s', async (name) => {
  const family = families.get(name) as Family;
  const path = join(folder, `${name}.gguf`);
  const model = familyModel(engineOnly, name, family);
  writeTinyModel(path, model);
  const excluded = excludedTokens(model);
  const open = (file: string, adapterPaths?: readonly string[]): Subject => {
    let opened: BareModel | undefined;
    const bare = () =>
      (opened ??= openBareModel(engineOnly.api, file, (token) => excluded.includes(token), adapterPaths));
    return { engine, name: file, path: file, bare, excluded };
  };
  const subject = open(path);
  const cells: Cells = new Map();
  if (family.use === 'embeddings') await check(cells, 'embeddings', () => checkEmbeddings(subject));
  else if (family.use === 'refused') await check(cells, 'load', () => checkRefusal(subject));
  else await check(cells, 'load', () => checkText(subject, cells));
  if (chosen !== undefined && family.use === undefined) {
    await check(cells, 'disk', () => checkDisk(subject));
    for (const [type, number] of Object.entries(quantizations))
      await check(cells, type, async () => {
        const quantized = join(folder, `${name}-${type}.gguf`);
        quantizeDirectly(path, quantized, number);
        await answerAlike(open(quantized), { quantized: true });
      });
    const adapter = familyAdapter(name, model);
    if (adapter !== undefined)
      await check(cells, 'adapter', async () => {
        const adapterPath = join(folder, `${name}-adapter.gguf`);
        writeTinyModel(adapterPath, adapter);
        const { text } = await answerAlike(open(path, [adapterPath]), { adapterPaths: [adapterPath] });
        expect(text).not.toBe(subject.bare().answer(first, 12).text);
      });
  }
  if (chosen !== undefined)
    console.log(`${name} | ${[...cells].map(([column, cell]) => `${column}: ${cell}`).join(' | ')}`);
  expect([...cells].filter(([, cell]) => cell.startsWith('FAILED'))).toEqual([]);
});
