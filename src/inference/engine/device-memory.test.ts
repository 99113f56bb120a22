import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import type { BackendAttempt } from '../backends/plan-backends.ts';
import { createDeviceMemory, type DeviceMemoryOptions, type GpuFacts, type OwnUse } from './device-memory.ts';

const attempt = (name: string): BackendAttempt => ({ name, build: 'auto', libraries: [`/${name}.so`] });
const cuda0: GpuFacts = { name: 'CUDA0', freeBytes: 900, totalBytes: 1000 };
const cuda1: GpuFacts = { name: 'CUDA1', freeBytes: 50, totalBytes: 500 };

function setUp(options: Partial<DeviceMemoryOptions> & { own?: OwnUse } = {}) {
  const clock = createFakeClock();
  const questions: string[] = [];
  const state = {
    own: options.own ?? { devices: new Map<string, number>(), isChanging: false },
    gpus: { cuda: [cuda0, cuda1] } as Record<string, readonly GpuFacts[]>,
  };
  const memory = createDeviceMemory({
    planBackends: async () => [attempt('cuda'), attempt('cpu')],
    async listGpus({ name }) {
      questions.push(name);
      return state.gpus[name] ?? [];
    },
    reserve: 100,
    ownUse: () => state.own,
    clock,
    ...options,
  });
  return { clock, questions, state, memory };
}

const budgets = ({ memory }: ReturnType<typeof setUp>) => Object.fromEntries(memory.budgets);

test('nothing is known before the first question', () => {
  const { memory } = setUp();
  expect(memory).toMatchObject({ backend: undefined, budgets: new Map(), sizes: [] });
});

test('a budget is what is free less the reserve, and never negative; a size is the total', async () => {
  const fixture = setUp();
  await fixture.memory.ready();
  expect(budgets(fixture)).toEqual({ CUDA0: 800, CUDA1: 0 });
  expect(fixture.memory.sizes).toEqual([
    { name: 'CUDA0', bytes: 900 },
    { name: 'CUDA1', bytes: 400 },
  ]);
  expect(fixture.memory.backend).toBe('cuda');
});

test('what own models take belongs to the budget, up to the size of the GPU', async () => {
  const fixture = setUp({
    own: {
      devices: new Map([
        ['CUDA1', 200],
        ['CUDA0', 500],
      ]),
      isChanging: false,
    },
  });
  await fixture.memory.ready();
  expect(budgets(fixture)).toEqual({ CUDA0: 900, CUDA1: 150 });
});

test('a machine without GPUs has no budgets', async () => {
  const fixture = setUp({ listGpus: async () => [] });
  await fixture.memory.ready();
  expect(fixture.memory).toMatchObject({ backend: undefined, budgets: new Map(), sizes: [] });
});

test('the first backend that has GPUs counts', async () => {
  const fixture = setUp({ planBackends: async () => [attempt('old'), attempt('cuda'), attempt('vulkan')] });
  await fixture.memory.ready();
  expect(fixture.questions).toEqual(['old', 'cuda']);
  expect(fixture.memory.backend).toBe('cuda');
});

test('callers at the same time share a question, and an answer is valid for a moment', async () => {
  const { memory, questions, clock } = setUp();
  await Promise.all([memory.ready(), memory.refresh(), memory.refresh()]);
  await memory.refresh();
  expect(questions).toEqual(['cuda']);
  clock.advance(2001);
  await Promise.all([memory.ready(), memory.refresh()]);
  expect(questions).toEqual(['cuda', 'cuda']);
});

test('while a model is loaded or unloaded, the last answer stays', async () => {
  const fixture = setUp();
  const { memory, state, clock, questions } = fixture;
  await memory.ready();
  clock.advance(2001);
  state.own = { ...state.own, isChanging: true };
  state.gpus = { cuda: [{ ...cuda0, freeBytes: 300 }] };
  await memory.refresh();
  expect(questions).toHaveLength(1);
  state.own = { ...state.own, isChanging: false };
  const asking = memory.refresh();
  state.own = { ...state.own, isChanging: true };
  await asking;
  expect(questions).toHaveLength(2);
  expect(budgets(fixture)).toEqual({ CUDA0: 800, CUDA1: 0 });
});

test('a backend that stops answering does not change what is known', async () => {
  const fixture = setUp();
  await fixture.memory.ready();
  fixture.clock.advance(2001);
  fixture.state.gpus = {};
  await fixture.memory.refresh();
  expect(budgets(fixture)).toEqual({ CUDA0: 800, CUDA1: 0 });
});

test('a question that fails is not an error: the load reports what is wrong', async () => {
  const fixture = setUp({ planBackends: () => Promise.reject(new Error('not installed')) });
  await fixture.memory.ready();
  expect(budgets(fixture)).toEqual({});
});
