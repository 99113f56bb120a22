import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { EngineDevice } from '../protocol/engine-description.ts';
import type { EngineBuildName } from '../protocol/messages.ts';
import type { AskedEngine, EngineAnswer } from './ask-engine.ts';
import { createBackends } from './backends.ts';
import { engineVersion } from './engine-package.ts';
import type { BackendAttempt } from './plan-backends.ts';

const device = (name: string, changes: Partial<EngineDevice> = {}): EngineDevice => ({
  name,
  description: name,
  isGpu: true,
  isUnified: false,
  freeBytes: 1,
  totalBytes: 2,
  ...changes,
});
const cpu = device('CPU', { isGpu: false });
const attempt: BackendAttempt = { name: 'cuda', build: 'auto', libraries: ['/libggml-cuda.so'] };

async function gpusOf(answer: EngineAnswer, changes: Partial<BackendAttempt> = {}) {
  const questions: AskedEngine[] = [];
  const backends = createBackends({
    build: 'auto',
    folder: '/nowhere',
    environment: {},
    signal: new AbortController().signal,
    async askEngine(asked) {
      questions.push(asked);
      return answer;
    },
  });
  const gpus = await backends.gpus({ ...attempt, ...changes });
  return { names: gpus.map(({ name }) => name), questions };
}

test.each<[string, EngineAnswer, string[]]>([
  ['one GPU', { engine: 'e', devices: [device('CUDA0'), cpu] }, ['CUDA0']],
  ['two GPUs, in their order', { engine: 'e', devices: [device('CUDA1'), device('CUDA0')] }, ['CUDA1', 'CUDA0']],
  ['only the CPU', { engine: 'e', devices: [cpu] }, []],
  ['an integrated GPU, whose memory is main memory', { engine: 'e', devices: [device('V0', { isUnified: true })] }, []],
  ['a GPU of unknown size', { engine: 'e', devices: [device('X0'), device('X1', { totalBytes: 0 })] }, []],
  ['a backend that does not work', { failure: 'no library' }, []],
])('%s', async (_, answer, names) => {
  expect(await gpusOf(answer)).toEqual({ names, questions: [{ libraries: attempt.libraries }] });
});

test('the engine is not asked without a library: its own backends use main memory', async () => {
  const answer = { engine: 'e', devices: [device('MTL0')] };
  expect(await gpusOf(answer, { libraries: [] })).toEqual({ names: [], questions: [] });
});

test('an engine for images is not asked: layers are not on its GPUs', async () => {
  const visionEngine = { name: 'vision-cuda', file: '/vision-cuda/index.node' };
  const answer = { engine: 'e', devices: [device('CUDA0'), cpu] };
  expect(await gpusOf(answer, { visionEngine })).toEqual({
    names: ['CUDA0'],
    questions: [{ libraries: attempt.libraries }],
  });
  expect(await gpusOf(answer, { libraries: [], visionEngine })).toEqual({ names: [], questions: [] });
});

describe('a plan for vision models', () => {
  const planIn = (folder: string, build: EngineBuildName = 'auto') =>
    createBackends({
      build,
      folder,
      environment: {},
      signal: new AbortController().signal,
      askEngine: async () => ({ failure: 'not asked' }),
    }).plan(true);

  test('has the installed engines with the libraries of the user, and with the CPU', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hearth-vision-plan-'));
    const file = join(folder, `vision-vulkan-${engineVersion('vision')}`, 'index.node');
    const own = join(folder, 'libggml-hip.so');
    mkdirSync(dirname(file));
    for (const path of [file, own]) writeFileSync(path, '');
    const visionEngine = { name: 'vision-vulkan', file };
    expect(await planIn(folder)).toEqual([
      { name: 'hip', build: 'auto', libraries: [own], isOwn: true, visionEngine },
      { name: 'hip', build: 'auto', libraries: [own], isOwn: true },
      { name: 'cpu', build: 'cpu', libraries: [], visionEngine },
      { name: 'cpu', build: 'cpu', libraries: [] },
    ]);
    // Only the engine for images is installed.
    await expect(planIn(folder, 'vulkan')).rejects.toThrow(
      'the backend vulkan is not installed: run `hearth backend add vulkan`',
    );
    rmSync(folder, { recursive: true });
  });
});
