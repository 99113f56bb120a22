import { describe, expect, test } from 'vitest';
import { type OptionValues, resolveOptions } from '../../../models/options.ts';
import type { PlannedRequest } from '../local-request.ts';
import type { ModelShape } from '../ports.ts';
import type { ContextPlan } from './context-plan.ts';
import { estimateLoad } from './estimate-load.ts';
import { planPlacement, reducePlacement } from './plan-placement.ts';

const mebibyte = 2 ** 20;
const gibibyte = 2 ** 30;
/** An 8B model in 4 bits: 32 layers of 128 MiB, 128 KiB of KV cache per token. */
const shape: ModelShape = {
  keysPerToken: 32_768,
  valuesPerToken: 32_768,
  keyLength: 128,
  valueLength: 128,
  heads: 32,
  trainedContext: 131_072,
  embedsOnly: false,
  weights: {
    layers: new Array(32).fill({ bytes: 128 * mebibyte, cacheShare: 1 / 32 }),
    output: 400 * mebibyte,
    input: 300 * mebibyte,
    vocabulary: 128_256,
    width: 14_336,
  },
};
const request = (options: OptionValues = {}, extra: Partial<PlannedRequest> = {}): PlannedRequest => ({
  source: { kind: 'local', key: '', weightsPath: '', adapterPaths: [], fileBytes: 4.7 * gibibyte },
  options: resolveOptions(options).load,
  shape,
  ...extra,
});
const plan: ContextPlan = {
  length: 16_384,
  lengths: [16_384, 8192, 4096],
  source: 'memory',
  parallel: 1,
  cacheTypes: { keys: 'f16', values: 'f16' },
  bytes: 7 * gibibyte,
};
const settings = { flashAttention: 'auto' } as const;
const gpus = (...sizes: readonly number[]) =>
  sizes.map((size, index) => ({ name: `CUDA${index}`, bytes: size * gibibyte }));
const place = (rooms: readonly number[], options: OptionValues = {}, extra: Partial<PlannedRequest> = {}) =>
  planPlacement(request(options, extra), plan, { ...settings, projectorOnGpu: true }, gpus(...rooms));

test.each([
  ['there is no GPU', [], {}, {}],
  ['num_gpu is 0', [24], { numGpu: 0 }, {}],
  ['only the vocabulary is loaded', [24], { vocabOnly: true }, {}],
  ['main_gpu does not exist', [24], { mainGpu: 1 }, {}],
  ['nothing is known about the layers', [24], {}, { shape: { ...shape, weights: undefined } as unknown as ModelShape }],
] satisfies [string, number[], OptionValues, Partial<PlannedRequest>][])(
  'no placement: %s',
  (_, rooms, options, extra) => {
    expect(place(rooms, options, extra)).toBeUndefined();
  },
);

describe('one GPU', () => {
  test('that fits has all layers, and main memory only the embeddings', () => {
    const placement = place([24]);
    expect(placement).toMatchObject({ count: 33, total: 33, lengths: plan.lengths, isAutomatic: true });
    expect(placement?.options).toEqual({ numGpu: 33, tensorSplit: undefined, numCpuMoe: 0 });
    expect(placement?.bytes).toBeLessThan(500 * mebibyte);
    const onGpu = placement?.devices.get('CUDA0') ?? 0;
    // Weights of 4.4 GiB, a KV cache of 2 GiB, and compute buffers.
    expect(onGpu).toBeGreaterThan(6.5 * gibibyte);
    expect(onGpu).toBeLessThan(7 * gibibyte);
  });

  test('that is smaller gets all layers with a shorter context', () => {
    expect(place([6])).toMatchObject({ count: 33, lengths: [8192, 4096] });
    expect(place([5.5])).toMatchObject({ count: 33, lengths: [4096] });
  });

  test('that is too small gets the layers that fit, with the planned context', () => {
    const placement = place([4]);
    expect(placement?.count).toBeGreaterThan(10);
    expect(placement?.count).toBeLessThan(25);
    expect(placement?.lengths).toEqual(plan.lengths);
    expect(placement?.devices.get('CUDA0')).toBeLessThanOrEqual(4 * gibibyte);
    expect(placement?.bytes).toBeGreaterThan(2 * gibibyte);
  });

  test('that has no room gets nothing', () => {
    const placement = place([0.1]);
    expect(placement).toMatchObject({ count: 0, options: { numGpu: 0 } });
    expect(placement?.bytes).toBeGreaterThan(6.5 * gibibyte);
  });

  test('a number of layers is obeyed', () => {
    expect(place([1], { numGpu: 20 })).toMatchObject({ count: 20, lengths: plan.lengths, isAutomatic: false });
    expect(place([24], { numGpu: 999 })).toMatchObject({ count: 33, options: { numGpu: 33 } });
  });

  test('low_vram leaves the KV cache in main memory', () => {
    const [usual, low] = [place([24]), place([24], { lowVram: true })];
    expect((usual?.devices.get('CUDA0') ?? 0) - (low?.devices.get('CUDA0') ?? 0)).toBe(2 * gibibyte);
    expect((low?.bytes ?? 0) - (usual?.bytes ?? 0)).toBe(2 * gibibyte);
  });
});

describe('two GPUs', () => {
  test('that are unequal share the layers by memory', () => {
    const placement = place([24, 8]);
    expect(placement?.count).toBe(33);
    const [first = 0, second = 0] = placement?.split ?? [];
    expect(first).toBeGreaterThan(2 * second);
    expect(placement?.options.tensorSplit).toBe(`${first},${second}`);
  });

  test('hold a model that is too large for each', () => {
    expect(place([4, 4])).toMatchObject({ count: 33, lengths: plan.lengths });
  });

  test.each<[OptionValues, string]>([
    [{ mainGpu: 1 }, 'CUDA1'],
    [{ splitMode: 'none' }, 'CUDA0'],
    [{ splitMode: 'none', mainGpu: 1 }, 'CUDA1'],
  ])('%j uses one of them', (options, name) => {
    const placement = place([24, 24], options);
    expect([...(placement?.devices.keys() ?? [])]).toEqual([name]);
    expect(placement?.options).toEqual({ numGpu: 33, tensorSplit: undefined, numCpuMoe: 0 });
  });

  test('main_gpu does not restrict a model that is split', () => {
    expect(place([24, 24], { splitMode: 'row', mainGpu: 1 })?.devices.size).toBe(2);
  });

  test('tensor_split is passed on, and decides what fits', () => {
    const placement = place([24, 2], { tensorSplit: '1,1' });
    expect(placement?.options.tensorSplit).toBe('1,1');
    expect(placement?.count).toBeLessThan(33);
  });
});

describe('a projector', () => {
  // The weights take less than 7 GiB, and the projector 2 GiB with its compute buffers.
  const projector = { projectorPath: 'p', projectorBytes: gibibyte };
  const placeVision = (rooms: readonly number[], options: OptionValues = {}) =>
    place(rooms, options, { source: { ...request().source, ...projector } });

  test('takes room on the GPU that has the layers', () => {
    const [without, placement] = [place([24]), placeVision([24])];
    expect(placement).toMatchObject({ count: 33, bytes: without?.bytes });
    expect((placement?.devices.get('CUDA0') ?? 0) - (without?.devices.get('CUDA0') ?? 0)).toBe(2 * gibibyte);
    expect(place([8])).toMatchObject({ lengths: plan.lengths });
    expect(placeVision([8])).toMatchObject({ count: 33, lengths: [8192, 4096] });
  });

  test('leaves less room for layers', () => {
    const [without, placement] = [place([4]), placeVision([4])];
    expect(placement?.count).toBeGreaterThan(0);
    expect(placement?.count).toBeLessThan(without?.count ?? 0);
    expect(placement?.devices.get('CUDA0')).toBeLessThanOrEqual(4 * gibibyte);
  });

  test('is in main memory with all layers if it has no room', () => {
    const [without, placement] = [place([0.1]), placeVision([1.5])];
    expect(placement?.count).toBe(0);
    expect(placement?.devices.size).toBe(0);
    expect((placement?.bytes ?? 0) - (without?.bytes ?? 0)).toBe(2 * gibibyte);
  });

  test('that is encoded on the CPU is in main memory', () => {
    const vision = request({}, { source: { ...request().source, ...projector } });
    const placement = planPlacement(vision, plan, settings, gpus(24));
    const without = place([24]);
    expect(placement).toMatchObject({ count: 33, devices: without?.devices });
    expect((placement?.bytes ?? 0) - (without?.bytes ?? 0)).toBe(2 * gibibyte);
  });

  test('is not on a GPU if num_gpu is 0', () => {
    expect(placeVision([24], { numGpu: 0 })).toBeUndefined();
  });

  test('of a model on two GPUs is on the main one', () => {
    for (const mainGpu of [0, 1]) {
      const options: OptionValues = { splitMode: 'layer', mainGpu, tensorSplit: '1,1' };
      const [without, placement] = [place([24, 24], options), placeVision([24, 24], options)];
      const added = ['CUDA0', 'CUDA1'].map(
        (name) => (placement?.devices.get(name) ?? 0) - (without?.devices.get(name) ?? 0),
      );
      expect(added).toEqual(mainGpu === 0 ? [2 * gibibyte, 0] : [0, 2 * gibibyte]);
    }
  });

  test('of a model on one of two GPUs is on the same one', () => {
    expect([...(placeVision([24, 24], { mainGpu: 1 })?.devices.keys() ?? [])]).toEqual(['CUDA1']);
  });
});

describe('a second attempt', () => {
  test('has three quarters of the layers', () => {
    const placement = place([24]);
    expect(placement && reducePlacement(placement)).toMatchObject({ count: 24, total: 33, options: { numGpu: 24 } });
  });

  test('keeps the division between GPUs', () => {
    const reduced = (options: OptionValues) => {
      const placement = place([24, 24], options);
      return placement && reducePlacement(placement)?.options.tensorSplit;
    };
    expect(reduced({})).toMatch(/^1[23],1[12]$/);
    expect(reduced({ tensorSplit: '3,1' })).toBe('3,1');
  });

  test('does not exist for a number that was asked for, or without layers', () => {
    for (const placement of [place([24], { numGpu: 20 }), place([0.1])])
      expect(placement && reducePlacement(placement)).toBeUndefined();
  });
});

describe('the estimate of a load', () => {
  const memory = (free: readonly number[], budgets: readonly number[]) => {
    const toMap = (sizes: readonly number[]) => new Map(gpus(...sizes).map(({ name, bytes }) => [name, bytes]));
    return { free: toMap(free), budgets: toMap(budgets) };
  };
  const estimate = (free: readonly number[], budgets: readonly number[], options: OptionValues = {}) =>
    estimateLoad(request(options), plan, settings, memory(free, budgets));
  const devicesOf = ({ placement }: ReturnType<typeof estimate>) => [...(placement?.devices.keys() ?? [])];

  test('without a GPU, the plan is in main memory', () => {
    expect(estimate([], [])).toEqual({ bytes: plan.bytes });
  });

  test('a model that fits next to the others uses what is free', () => {
    const estimated = estimate([1, 23], [23, 23]);
    expect(estimated.placement?.count).toBe(33);
    expect(estimated.placement?.devices.get('CUDA0') ?? 0).toBeLessThanOrEqual(gibibyte);
  });

  test('a model that does not fit uses the room of the others', () => {
    const estimated = estimate([2, 2], [12, 12]);
    expect(estimated.placement?.count).toBe(33);
    expect(devicesOf(estimated)).toEqual(['CUDA0', 'CUDA1']);
    expect(estimated.placement?.devices.get('CUDA0')).toBeGreaterThan(2 * gibibyte);
  });

  test('the context is not shortened because of other models', () => {
    expect(estimate([6], [23]).placement?.lengths).toEqual(plan.lengths);
  });

  test('a number of layers uses what is free if it fits', () => {
    expect(devicesOf(estimate([0, 4], [20, 20], { numGpu: 10 }))).toEqual(['CUDA1']);
    expect(devicesOf(estimate([0, 1], [20, 20], { numGpu: 20 }))).toEqual(['CUDA0', 'CUDA1']);
  });
});
