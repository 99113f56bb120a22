import { expect, test } from 'vitest';
import { toMemoryParts } from './model-card.tsx';
import type { ModelInMemory } from './now-data.ts';

const partsOf = (fields: Pick<ModelInMemory, 'size' | 'size_vram' | 'gpu'>) =>
  toMemoryParts(fields as ModelInMemory).map(({ device, bytes }) => [device, bytes]);

test('a model without a GPU is in main memory', () => {
  expect(partsOf({ size: 10, size_vram: 0 })).toEqual([['Main memory', 10]]);
});

test('a model on two GPUs and in main memory has three parts', () => {
  const devices = [
    { name: 'CUDA0', size_vram: 4 },
    { name: 'CUDA1', size_vram: 3 },
  ];
  expect(partsOf({ size: 10, size_vram: 7, gpu: { devices } })).toEqual([
    ['CUDA0', 4],
    ['CUDA1', 3],
    ['Main memory', 3],
  ]);
});

test('memory of GPUs that are not named is shown, too', () => {
  expect(partsOf({ size: 10, size_vram: 10 })).toEqual([['GPU', 10]]);
});
