import { expect, test } from 'vitest';
import type { EngineDevice } from '../protocol/engine-description.ts';
import type { EngineAnswer } from './ask-engine.ts';
import { createBackends } from './backends.ts';
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

async function gpusOf(answer: EngineAnswer, { libraries } = attempt) {
  const questions: (readonly string[])[] = [];
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
  const gpus = await backends.gpus({ ...attempt, libraries });
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
  expect(await gpusOf(answer)).toEqual({ names, questions: [['/libggml-cuda.so']] });
});

test('the engine is not asked without a library: its own backends use main memory', async () => {
  const answer = { engine: 'e', devices: [device('MTL0')] };
  expect(await gpusOf(answer, { ...attempt, libraries: [] })).toEqual({ names: [], questions: [] });
});
