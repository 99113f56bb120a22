import { expect, test } from 'vitest';
import { resolveOptions } from '../../../models/options.ts';
import { fitText, type LoadFit } from '../../model/load-fit.ts';
import { estimateLoad } from './estimate-load.ts';
import { guessShape, judgeLoad, type UnseenFile } from './judge-load.ts';
import { planContext } from './plan-context.ts';
import type { LoadPlacement } from './plan-placement.ts';

const GB = 1e9;

/** The estimate of a load, on a machine with so much main memory and one GPU. */
function judge(
  file: UnseenFile,
  { memory, gpu }: { readonly memory: number; readonly gpu: number },
  shape = guessShape(file),
): LoadFit {
  const cacheTypes = { keys: 'f16', values: 'f16' } as const;
  const settings = {
    cacheTypes,
    contextLength: 0,
    numParallel: 0,
    flashAttention: 'auto' as const,
    memoryBudget: memory,
  };
  const source = { kind: 'local', key: '', weightsPath: '', adapterPaths: [], fileBytes: file.bytes } as const;
  const request = { source, options: resolveOptions().load, shape };
  const gpus = gpu === 0 ? [] : [{ name: 'GPU0', bytes: gpu }];
  const budgets = new Map(gpus.map(({ name, bytes }) => [name, bytes]));
  const plan = planContext(request, { ...settings, gpus });
  return judgeLoad(file, estimateLoad(request, plan, settings, { free: budgets, budgets }), { memoryBudget: memory });
}

const file = { bytes: 19 * GB, layers: 48, contextLength: 40_960, embedsOnly: false };

test('a model that fits a GPU', () => {
  expect(judge(file, { memory: 32 * GB, gpu: 80 * GB })).toEqual({ verdict: 'gpu' });
});

test('a model of which most layers fit a GPU', () => {
  const { verdict, layers } = judge(file, { memory: 32 * GB, gpu: 18 * GB });
  expect(verdict).toBe('layers');
  expect(layers?.total).toBe(49);
  expect(layers?.onGpus).toBeGreaterThan(24);
  expect(layers?.onGpus).toBeLessThan(49);
});

test('the number of layers is not claimed if it is only guessed', () => {
  expect(judge({ ...file, layers: undefined }, { memory: 32 * GB, gpu: 18 * GB })).toEqual({ verdict: 'layers' });
});

test.each([
  ['a large model without a GPU', file, { memory: 64 * GB, gpu: 0 }, 'slow'],
  ['a small GPU', file, { memory: 64 * GB, gpu: 4 * GB }, 'slow'],
  ['a small model without a GPU', { ...file, bytes: 2 * GB }, { memory: 16 * GB, gpu: 0 }, 'memory'],
  ['too little memory', file, { memory: 16 * GB, gpu: 0 }, 'no'],
  ['too little memory, and a small GPU', file, { memory: 8 * GB, gpu: 4 * GB }, 'no'],
] as const)('%s', (_, given, machine, verdict) => {
  expect(judge(given, machine)).toEqual({ verdict });
});

test('a model whose experts are in main memory', () => {
  const placement = { count: 49, total: 49, expertLayers: 31 } as LoadPlacement;
  const estimate = { bytes: 13 * GB, placement };
  const fit = judgeLoad({ bytes: 19 * GB, layers: 48 }, estimate, { memoryBudget: 32 * GB });
  expect(fit).toMatchObject({ verdict: 'layers', expertLayers: 31 });
  expect(fitText(fit)).toBe('fits with the experts of 31 of 48 layers in main memory');
});

test('a mixture of experts that is larger than the GPU keeps experts in main memory', () => {
  const mixture = { bytes: 19 * GB, layers: 48, contextLength: 4096, embedsOnly: false };
  const guessed = guessShape(mixture);
  const layers = (guessed.weights?.layers ?? []).map((layer) => ({ ...layer, expertBytes: 0.95 * layer.bytes }));
  const shape = { ...guessed, ...(guessed.weights && { weights: { ...guessed.weights, layers } }) };
  const { verdict, expertLayers } = judge(mixture, { memory: 32 * GB, gpu: 12 * GB }, shape);
  expect(verdict).toBe('layers');
  expect(expertLayers).toBeGreaterThan(12);
  expect(expertLayers).toBeLessThan(48);
  expect(judge(mixture, { memory: 32 * GB, gpu: 80 * GB }, shape)).toEqual({ verdict: 'gpu' });
});
