import { describe, expect, test } from 'vitest';
import { type GpuRoom, type LayerSizes, placeLayers, reduceLayers } from './place-layers.ts';

/** Ten layers of 10 bytes and an output of 20; 5 bytes to compute on each GPU, 3 more for the output. */
const sizes: LayerSizes = {
  layers: [...new Array(10).fill(10), 20],
  experts: new Array(10).fill(0),
  expertCompute: 0,
  compute: 5,
  outputCompute: 3,
};
const gpus = (...bytes: readonly number[]): GpuRoom[] =>
  bytes.map((room, index) => ({ name: `GPU${index}`, bytes: room }));
const place = (rooms: readonly GpuRoom[], rules = {}) => placeLayers(sizes, rooms, rules);
const used = (placement: ReturnType<typeof place>) => Object.fromEntries(placement.devices);

describe('as many layers as fit', () => {
  test('no GPU: none', () => {
    expect(place([])).toMatchObject({ count: 0, split: [] });
  });

  test('one GPU that fits: all of them', () => {
    const placement = place(gpus(128));
    expect(placement).toMatchObject({ count: 11, split: [11] });
    expect(used(placement)).toEqual({ GPU0: 128 });
  });

  test.each([
    [127, 10],
    [38, 2],
    [28, 1],
    [27, 0],
    [0, 0],
  ])('one GPU with %d bytes: the last %d layers, first of all the output', (bytes, count) => {
    const placement = place(gpus(bytes));
    expect(placement.count).toBe(count);
    for (const needed of placement.devices.values()) expect(needed).toBeLessThanOrEqual(bytes);
  });

  test('two equal GPUs share the bytes', () => {
    const placement = place(gpus(200, 200));
    expect(placement).toMatchObject({ count: 11, split: [6, 5] });
    expect(used(placement)).toEqual({ GPU0: 65, GPU1: 68 });
  });

  test('two unequal GPUs share them in proportion to their memory', () => {
    expect(place(gpus(305, 105)).split).toEqual([9, 2]);
    expect(place(gpus(105, 305)).split).toEqual([3, 8]);
  });

  test('a GPU that is too small for a single layer gets none', () => {
    const placement = place(gpus(9, 200));
    expect(placement).toMatchObject({ count: 11, split: [0, 11] });
    expect(used(placement)).toEqual({ GPU1: 128 });
  });

  test('if the proportional division does not fit, the GPUs are filled in order', () => {
    // 60 and 45 bytes for layers: in proportion, the second GPU would have 5 layers with the output.
    const placement = place(gpus(85, 50));
    expect(placement).toMatchObject({ count: 11, split: [8, 3] });
    expect(used(placement)).toEqual({ GPU0: 85, GPU1: 48 });
  });

  test('two GPUs that are too small together', () => {
    const placement = place(gpus(45, 45));
    expect(placement.count).toBeLessThan(11);
    expect(placement.count).toBeGreaterThan(4);
    expect(place(gpus(45, 45, 45)).count).toBeGreaterThan(placement.count);
  });
});

describe('rules', () => {
  test('a number of layers is obeyed, whether or not it fits', () => {
    expect(place(gpus(10), { count: 4 })).toMatchObject({ count: 4, split: [4] });
    expect(used(place(gpus(10), { count: 4 }))).toEqual({ GPU0: 58 });
    expect(place(gpus(500), { count: 99 }).count).toBe(11);
    expect(place(gpus(500), { count: 0 })).toMatchObject({ count: 0, devices: new Map() });
  });

  // As llama.cpp divides them: a layer belongs to the first GPU whose share is not used up.
  test.each([
    [
      [1, 1],
      [6, 5],
    ],
    [
      [3, 1],
      [9, 2],
    ],
    [
      [1, 0],
      [11, 0],
    ],
    [
      [0, 1],
      [0, 11],
    ],
    [[1], [11, 0]],
    [
      [1, 1, 5],
      [6, 5],
    ],
  ])('shares of %j divide the layers into %j', (shares, split) => {
    expect(place(gpus(200, 200), { shares })).toMatchObject({ count: 11, split });
  });

  test('shares reduce the number of layers if one GPU is too small for its share', () => {
    const { count, split } = place(gpus(400, 40), { shares: [1, 1] });
    expect(count).toBeLessThan(11);
    expect(split[0]).toBeGreaterThanOrEqual(split[1] ?? 0);
  });
});

test('fewer layers for a second attempt keep the division', () => {
  expect(reduceLayers({ split: [33] })).toEqual([24]);
  expect(reduceLayers({ split: [24, 8] })).toEqual([18, 6]);
  expect(reduceLayers({ split: [1] })).toEqual([0]);
});

test('every number of layers fits, and one more would not', () => {
  for (let bytes = 0; bytes <= 140; bytes++) {
    const { count, devices } = place(gpus(bytes));
    for (const needed of devices.values()) expect(needed).toBeLessThanOrEqual(bytes);
    const more = place(gpus(bytes), { count: count + 1 });
    if (count < 11) expect([...more.devices.values()][0]).toBeGreaterThan(bytes);
  }
});

describe('a mixture of experts', () => {
  /** Eight of the ten bytes of each layer are experts, which take four bytes where they are computed. */
  const experts: LayerSizes = { ...sizes, experts: new Array(10).fill(8), expertCompute: 4 };
  const placeExperts = (rooms: readonly GpuRoom[], rules = {}) => placeLayers(experts, rooms, rules);

  test('fits: everything is on the GPU', () => {
    expect(placeExperts(gpus(128))).toMatchObject({ count: 11, expertLayers: 0 });
  });

  test.each([
    [127, 1],
    [116, 2],
    [115, 3],
    [60, 9],
    [52, 10],
  ])('%d bytes: all layers, but not the experts of the first %d', (bytes, expertLayers) => {
    const placement = placeExperts(gpus(bytes));
    expect(placement).toMatchObject({ count: 11, expertLayers });
    expect(placement.devices.get('GPU0')).toBeLessThanOrEqual(bytes);
  });

  test('too little even without experts: as many layers as fit without them', () => {
    expect(placeExperts(gpus(51))).toMatchObject({ count: 10, expertLayers: 10 });
    expect(placeExperts(gpus(20))).toMatchObject({ count: 0, expertLayers: 10 });
  });

  test('two GPUs', () => {
    const placement = placeExperts(gpus(60, 60));
    expect(placement).toMatchObject({ count: 11 });
    expect(placement.expertLayers).toBeGreaterThan(0);
    for (const [name, bytes] of placement.devices) expect([name, bytes <= 60]).toEqual([name, true]);
  });

  test('a number of layers, or of layers without experts, is obeyed', () => {
    expect(placeExperts(gpus(60), { count: 4 })).toMatchObject({ count: 4, expertLayers: 0 });
    expect(placeExperts(gpus(200), { expertLayers: 3 })).toMatchObject({ count: 11, expertLayers: 3 });
    expect(placeExperts(gpus(200), { expertLayers: 99 })).toMatchObject({ count: 11, expertLayers: 10 });
    expect(placeExperts([], { expertLayers: 3 })).toMatchObject({ count: 0 });
  });
});
