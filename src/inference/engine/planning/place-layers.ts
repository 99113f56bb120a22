// Decides which layers of a model are on which GPU. llama.cpp puts the last layers on GPUs, counts the output as a layer
// after the last one, and gives each GPU a run of layers.

import type { DeviceBytes } from './device-bytes.ts';

/** Bytes for a model on a GPU. */
export interface GpuRoom {
  readonly name: string;
  readonly bytes: number;
}

export interface LayerSizes {
  /** Bytes of each layer on a GPU; the last one is the output. */
  readonly layers: readonly number[];
  /** The part of each layer that is experts. */
  readonly experts: readonly number[];
  /** Bytes of the compute buffers on each GPU for experts that are in main memory. */
  readonly expertCompute: number;
  /** Bytes of the compute buffers on each GPU that has a layer. */
  readonly compute: number;
  /** Bytes that the GPU with the output needs in addition. */
  readonly outputCompute: number;
}

export interface Placement {
  /** The number of layers on GPUs. */
  readonly count: number;
  /** Layers of each GPU, in their order. */
  readonly split: readonly number[];
  /** The number of layers, from the first on, whose experts are in main memory. */
  readonly expertLayers: number;
  /** Estimated bytes of each GPU that has layers. */
  readonly devices: DeviceBytes;
}

interface PlacementRules {
  /** The number of layers. Absent: as many as fit. */
  readonly count?: number;
  /** The number of layers, from the first on, whose experts stay in main memory. Absent: as few as needed. */
  readonly expertLayers?: number;
  /** Shares of the GPUs, in their order. Absent: by room. */
  readonly shares?: readonly number[];
}

/**
 * A token uses few experts, and all of the rest of a layer. So the experts of a model that does not fit leave the GPUs
 * before anything else.
 */
export function placeLayers(sizes: LayerSizes, rooms: readonly GpuRoom[], rules: PlacementRules = {}): Placement {
  const place = (expertLayers: number): Placement => ({
    ...placeWhole(withoutExperts(sizes, expertLayers), rooms, rules),
    expertLayers,
  });
  if (rules.expertLayers !== undefined) return place(Math.min(rules.expertLayers, sizes.experts.length));
  const whole = place(0);
  const isComplete = ({ count }: Placement): boolean => count === sizes.layers.length;
  const hasExperts = sizes.experts.some((bytes) => bytes > 0);
  if (!hasExperts || rules.count !== undefined || rooms.length === 0 || isComplete(whole)) return whole;
  let [low, high] = [1, sizes.experts.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isComplete(place(middle))) high = middle;
    else low = middle + 1;
  }
  return place(high);
}

function withoutExperts(sizes: LayerSizes, count: number): LayerSizes {
  if (count === 0) return sizes;
  const layers = sizes.layers.map((bytes, layer) => (layer < count ? bytes - (sizes.experts[layer] ?? 0) : bytes));
  return { ...sizes, layers, compute: sizes.compute + sizes.expertCompute };
}

function placeWhole(
  sizes: LayerSizes,
  rooms: readonly GpuRoom[],
  rules: PlacementRules,
): Omit<Placement, 'expertLayers'> {
  const all = rooms.length === 0 ? 0 : sizes.layers.length;
  if (rules.count !== undefined) {
    const count = Math.min(rules.count, all);
    const [split = []] = splitsOf(sizes, rooms, { ...rules, count });
    return describe(sizes, rooms, split);
  }
  for (let count = all; count > 0; count--) {
    const placements = splitsOf(sizes, rooms, { ...rules, count }).map((split) => describe(sizes, rooms, split));
    const fitting = placements.find(({ devices }) =>
      rooms.every(({ name, bytes }) => (devices.get(name) ?? 0) <= bytes),
    );
    if (fitting !== undefined) return fitting;
  }
  return describe(sizes, rooms, []);
}

// A second attempt must be clearly smaller: the estimate was wrong by an unknown amount.
const reducedShare = 0.75;

/** The same division with fewer layers. */
export function reduceLayers({ split }: Pick<Placement, 'split'>): readonly number[] {
  return split.map((count) => Math.floor(count * reducedShare));
}

type Split = readonly number[];

/** The divisions to consider, best first. */
function splitsOf(
  sizes: LayerSizes,
  rooms: readonly GpuRoom[],
  { count, shares }: PlacementRules & { readonly count: number },
): Split[] {
  const layers = sizes.layers.slice(sizes.layers.length - count);
  if (shares !== undefined) return [divideByShares(count, rooms, shares)];
  const free = rooms.map(({ bytes }) => Math.max(bytes - sizes.compute, 0));
  return [divideInProportion(layers, free), fillInOrder(layers, free)];
}

/** As llama.cpp does with a tensor split, in its precision. */
function divideByShares(count: number, rooms: readonly GpuRoom[], shares: readonly number[]): Split {
  const limits = runningSums(rooms.map((_, index) => shares[index] ?? 0));
  const total = limits.at(-1) ?? 0;
  const split = rooms.map(() => 0);
  for (let layer = 0; layer < count; layer++) {
    const position = Math.fround(layer / count);
    const index = limits.findIndex((limit) => Math.fround(limit / total) > position);
    split[Math.max(index, 0)] = (split[Math.max(index, 0)] ?? 0) + 1;
  }
  return split;
}

function divideInProportion(layers: readonly number[], free: readonly number[]): Split {
  const limits = runningSums(free);
  const total = limits.at(-1) ?? 0;
  const bytes = layers.reduce((sum, layer) => sum + layer, 0);
  let placed = 0;
  return assign(layers, free.length, (layer, gpu) => {
    // A layer belongs to the GPU that has its middle.
    const isOver = placed + layer / 2 > (bytes * (limits[gpu] ?? 0)) / Math.max(total, 1);
    if (!isOver || gpu === free.length - 1) placed += layer;
    return !isOver;
  });
}

function fillInOrder(layers: readonly number[], free: readonly number[]): Split {
  const used = free.map(() => 0);
  return assign(layers, free.length, (layer, gpu) => {
    const bytes = (used[gpu] ?? 0) + layer;
    if (bytes > (free[gpu] ?? 0)) return false;
    used[gpu] = bytes;
    return true;
  });
}

/** Gives each layer to the current GPU while it accepts layers. The last one has no choice. */
function assign(layers: readonly number[], gpus: number, accepts: (layer: number, gpu: number) => boolean): Split {
  const split = new Array<number>(gpus).fill(0);
  let gpu = 0;
  for (const layer of layers) {
    while (!accepts(layer, gpu) && gpu < gpus - 1) gpu++;
    split[gpu] = (split[gpu] ?? 0) + 1;
  }
  return split;
}

function describe(
  { layers, compute, outputCompute }: LayerSizes,
  rooms: readonly GpuRoom[],
  split: Split,
): Omit<Placement, 'expertLayers'> {
  const count = split.reduce((sum, part) => sum + part, 0);
  const devices = new Map<string, number>();
  let next = layers.length - count;
  for (const [index, { name }] of rooms.entries()) {
    const part = layers.slice(next, next + (split[index] ?? 0));
    next += part.length;
    if (part.length === 0) continue;
    const output = next === layers.length ? outputCompute : 0;
    devices.set(
      name,
      part.reduce((sum, bytes) => sum + bytes, compute + output),
    );
    if (next === layers.length) break;
  }
  return { count, split, devices };
}

function runningSums(values: readonly number[]): number[] {
  let sum = 0;
  return values.map((value) => {
    sum += value;
    return sum;
  });
}
