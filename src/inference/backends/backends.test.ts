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
  expect(await gpusOf(answer)).toEqual({ names, questions: [attempt] });
});

test('the engine is not asked without a library: its own backends use main memory', async () => {
  const answer = { engine: 'e', devices: [device('MTL0')] };
  expect(await gpusOf(answer, { libraries: [] })).toEqual({ names: [], questions: [] });
});

test('an engine for vision models is asked itself', async () => {
  const engine = '/vision-cuda/index.node';
  const answer = { engine: 'e', devices: [device('CUDA0'), cpu] };
  expect(await gpusOf(answer, { libraries: [], engine })).toEqual({
    names: ['CUDA0'],
    questions: [{ ...attempt, libraries: [], engine }],
  });
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

  test('has the installed engines, whatever libraries the user has, and then the CPU', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hearth-vision-plan-'));
    const engine = join(folder, `vision-vulkan-${engineVersion('vision')}`, 'index.node');
    mkdirSync(dirname(engine));
    for (const file of [engine, join(folder, 'libggml-hip.so')]) writeFileSync(file, '');
    expect(await planIn(folder)).toMatchObject([{ name: 'vulkan', libraries: [], engine }, { name: 'cpu' }]);
    expect(await planIn(folder, 'vulkan')).toMatchObject([{ name: 'vulkan', engine }, { name: 'cpu' }]);
    await expect(planIn(folder, 'cuda')).rejects.toThrow(
      'the backend cuda for vision models is not installed: run `hearth backend add cuda`',
    );
    rmSync(folder, { recursive: true });
  });
});
