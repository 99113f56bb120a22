// The prefix cache on disk with the real engine: a prompt continues after its model was unloaded, replaced, or the server
// was restarted or killed.

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { silentLogger } from '../../src/base/logger.ts';
import { systemClock } from '../../src/base/time/clock.ts';
import type { EngineSettings } from '../../src/inference/engine/create-engine.ts';
import type { Engine, Lease } from '../../src/inference/engine/ports.ts';
import { createPrefixFiles } from '../../src/inference/engine/prefix-files.ts';
import { resolveOptions } from '../../src/models/options.ts';
import { expectSameUnquantized } from '../support/compare-answers.ts';
import { type Answer, answerOf, longText, never, requestOf, startEngine } from '../support/engine.ts';
import { endTokens, type MemoryModel, memoryModels, writeMemoryModel } from '../support/models/tiny-memories.ts';
import { childrenOf, commandOf } from '../support/processes.ts';

let models: string;
let cache: string;
const engines: Engine[] = [];
beforeAll(() => {
  models = mkdtempSync(join(tmpdir(), 'hearth-disk-models-'));
  for (const model of memoryModels) writeMemoryModel(join(models, `${model}.gguf`), model);
});
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close(0)));
  rmSync(cache, { recursive: true, force: true });
});
afterAll(() => rmSync(models, { recursive: true }));

interface StartOptions extends Partial<EngineSettings> {
  readonly maxBytes?: number;
}

/** Starts an engine on the cache of this test, as a server that was restarted would. */
async function start({ maxBytes = 2 ** 30, ...settings }: StartOptions = {}): Promise<Engine> {
  const prefixFiles = createPrefixFiles({ folder: cache, maxBytes, clock: systemClock, logger: silentLogger });
  await prefixFiles.recover();
  const engine = startEngine({ numParallel: 2, build: 'cpu', ...settings }, undefined, { prefixFiles });
  engines.push(engine);
  return engine;
}

const newCache = (): void => {
  cache = mkdtempSync(join(tmpdir(), 'hearth-disk-cache-'));
};

async function withModel<Result>(
  engine: Engine,
  { model = 'attention', partition = '' }: { readonly model?: MemoryModel; readonly partition?: string },
  work: (lease: Lease) => Promise<Result>,
): Promise<Result> {
  const weightsPath = join(models, `${model}.gguf`);
  const source = { kind: 'local', key: model, weightsPath, adapterPaths: [], fileBytes: 0 } as const;
  const options = resolveOptions({ numCtx: 2048, numThread: 1 }).load;
  const lease = await engine.acquire({ name: model, source, options, partition }, never);
  try {
    return await work(lease);
  } finally {
    lease.release();
  }
}

const prompt = `<|im_start|>system\n${longText(60)}<|im_end|>\n<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n`;

const ask = (lease: Lease, text = prompt): Promise<Answer> => {
  const logitBias = endTokens.map((token) => [token, -1e30] as const);
  const options = { temperature: 0, repeatPenalty: 1, numPredict: 16 };
  return answerOf(lease.generate(requestOf(text, options, { topLogprobs: 2, logitBias }), never));
};
/** The second use makes a prefix of a small model worth writing. */
const askTwice = async (lease: Lease): Promise<Answer> => {
  const first = await ask(lease);
  await ask(lease);
  return first;
};

const files = (): string[] =>
  readdirSync(cache, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));

describe.each(memoryModels)('%s', (model) => {
  test('continues from disk after an unload and after a restart with more parallel requests', async () => {
    newCache();
    const engine = await start();
    const first = await withModel(engine, { model }, askTwice);
    await engine.unload(model);
    const unloaded = await withModel(engine, { model }, ask);
    const restarted = await withModel(await start({ numParallel: 5 }), { model }, ask);
    for (const { started } of [unloaded, restarted]) {
      expect(started.diskTokens).toBe(started.cachedTokens);
      expect(started.cachedTokens).toBeGreaterThan(started.promptTokens - 40);
    }
    for (const answer of [unloaded, restarted]) expectSameUnquantized(answer, first);
  });
});

test('continues from disk after another model took its place', async () => {
  newCache();
  const engine = await start({ maxLoadedModels: 1 });
  await withModel(engine, { model: 'hybrid' }, askTwice);
  await withModel(engine, { model: 'recurrent' }, ask);
  const { started } = await withModel(engine, { model: 'hybrid' }, ask);
  expect(started.diskTokens).toBeGreaterThan(0);
});

test('files are private, and of one caller they are not used for another', async () => {
  newCache();
  await withModel(await start(), { partition: 'alice' }, askTwice);
  await Promise.all(engines.splice(0).map((engine) => engine.close(0)));
  expect(files().map((path) => statSync(path).mode & 0o777)).toEqual([0o600]);
  const engine = await start();
  expect((await withModel(engine, { partition: 'bob' }, ask)).started.cachedTokens).toBe(0);
  expect((await withModel(engine, {}, ask)).started.cachedTokens).toBe(0);
  expect((await withModel(engine, { partition: 'alice' }, ask)).started.diskTokens).toBeGreaterThan(0);
});

test('a KV cache of another layout does not use the files', async () => {
  newCache();
  const engine = await start();
  await withModel(engine, {}, askTwice);
  await engine.unload('attention');
  const other = await start({ flashAttention: false });
  expect((await withModel(other, {}, ask)).started.cachedTokens).toBe(0);
});

test('a damaged file is evaluated again, with the same answer, and removed', async () => {
  newCache();
  const engine = await start();
  const first = await withModel(engine, {}, askTwice);
  await engine.unload('attention');
  const [path = ''] = files();
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 100) ^ 0xff, bytes.length - 100);
  writeFileSync(path, bytes);
  const again = await withModel(engine, {}, ask);
  expect(again.started.cachedTokens).toBe(0);
  expectSameUnquantized(again, first);
  expect(files()).toEqual([]);
});

test('the size of all files stays within the limit', async () => {
  newCache();
  const engine = await start();
  await withModel(engine, {}, askTwice);
  await engine.unload('attention');
  const size = files().reduce((sum, path) => sum + statSync(path).size, 0);
  const limited = await start({ maxBytes: Math.floor(size * 2.5) });
  for (const variant of [1, 2, 3, 4]) {
    await withModel(limited, {}, async (lease) => {
      for (let round = 0; round < 2; round++) await ask(lease, `${longText(60, variant)}${prompt}`);
    });
    await limited.unload('attention');
  }
  await createPrefixFiles({
    folder: cache,
    maxBytes: Math.floor(size * 2.5),
    clock: systemClock,
    logger: silentLogger,
  }).trim();
  const total = files().reduce((sum, path) => sum + statSync(path).size, 0);
  expect(total).toBeGreaterThan(0);
  expect(total).toBeLessThanOrEqual(size * 2.5);
});

test('a runner that is killed while it writes leaves nothing that harms', async () => {
  newCache();
  const engine = await start();
  await withModel(engine, {}, askTwice);
  const [runner] = childrenOf(process.pid).filter((pid) => commandOf(pid).includes('runner/process/main.js'));
  // Unloading makes it write. The signal arrives before, during or after that.
  const unloaded = engine.unload('attention');
  process.kill(runner as number, 'SIGKILL');
  await unloaded;
  const { started, done } = await withModel(await start(), {}, ask);
  expect(done.reason).toBe('length');
  expect([undefined, started.cachedTokens]).toContain(started.diskTokens);
  expect(files().filter((path) => path.endsWith('.unfinished'))).toEqual([]);
});
