import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import type { BackendAttempt } from '../backends/plan-backends.ts';
import { createDeviceMemories } from './device-memories.ts';
import type { GpuFacts } from './device-memory.ts';
import type { LocalModelSource } from './model-source.ts';

const source: LocalModelSource = { kind: 'local', key: '', weightsPath: '', adapterPaths: [], fileBytes: 0 };
const text = { source };
const vision = { source: { ...source, projectorPath: 'p' } };

function setUp(names: { readonly text: string; readonly vision: string }) {
  const clock = createFakeClock();
  const free = new Map<string, number>();
  const questions: string[] = [];
  const memories = createDeviceMemories({
    planBackends: async (needsVision): Promise<BackendAttempt[]> => [
      { name: needsVision ? names.vision : names.text, build: 'auto', libraries: ['/x'] },
    ],
    async listGpus({ name }): Promise<GpuFacts[]> {
      questions.push(name);
      return [{ name: `${name}0`, freeBytes: free.get(name) ?? 0, totalBytes: 1000 }];
    },
    reserve: 0,
    ownUse: () => ({ devices: new Map(), isChanging: false }),
    clock,
  });
  return { memories, free, questions };
}

test('each engine is asked about its own backends, and only when a model needs it', async () => {
  const { memories, questions } = setUp({ text: 'cuda', vision: 'vulkan' });
  await memories.of(text).ready();
  expect(questions).toEqual(['cuda']);
  await memories.of(vision).ready();
  expect(questions).toEqual(['cuda', 'vulkan']);
  expect([memories.of(text).backend, memories.of(vision).backend]).toEqual(['cuda', 'vulkan']);
});

test('the budgets are those of all GPUs', async () => {
  const { memories, free } = setUp({ text: 'cuda', vision: 'vulkan' });
  free.set('cuda', 1).set('vulkan', 2);
  await memories.refresh(text);
  await memories.refresh(vision);
  expect(Object.fromEntries(memories.budgets)).toEqual({ cuda0: 1, vulkan0: 2 });
});

test('an answer that is not new does not replace that of the other engine', async () => {
  const { memories, free, questions } = setUp({ text: 'cuda', vision: 'cuda' });
  for (const [bytes, request] of [
    [1, vision],
    [2, text],
    [3, vision],
  ] as const) {
    free.set('cuda', bytes);
    await memories.refresh(request);
  }
  expect(questions).toHaveLength(2);
  expect(memories.budgets.get('cuda0')).toBe(2);
});

test('of a GPU that both engines have, the latest answer counts', async () => {
  const { memories, free } = setUp({ text: 'cuda', vision: 'cuda' });
  for (const [bytes, request] of [
    [1, text],
    [2, vision],
  ] as const) {
    free.set('cuda', bytes);
    await memories.refresh(request);
    expect(memories.budgets.get('cuda0')).toBe(bytes);
  }
});
