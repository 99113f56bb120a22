// Models on GPUs with limited memory: the engine with runners and GPUs that are fixtures.

import { afterEach, expect, test } from 'vitest';
import { createLogger } from '../../src/base/logger.ts';
import { systemClock } from '../../src/base/time/clock.ts';
import type { BackendAttempt } from '../../src/inference/backends/plan-backends.ts';
import { createEngine } from '../../src/inference/engine/create-engine.ts';
import type { GpuFacts } from '../../src/inference/engine/device-memory.ts';
import type { Engine, ModelShape } from '../../src/inference/engine/ports.ts';
import type { LocalModelSource } from '../../src/inference/model/model-source.ts';
import { type OptionValues, resolveOptions } from '../../src/models/options.ts';
import { never } from '../support/engine.ts';
import { fixtureRunner } from '../support/fixture-runner.ts';

const mebibyte = 2 ** 20;
const attempts: readonly BackendAttempt[] = [
  { name: 'cuda', build: 'auto', libraries: ['/libggml-cuda.so'] },
  { name: 'cpu', build: 'cpu', libraries: [] },
];
const visionAttempts: readonly BackendAttempt[] = [
  {
    name: 'cuda',
    build: 'auto',
    libraries: ['/libggml-cuda.so'],
    visionEngine: { name: 'vision-cuda', file: '/vision-cuda/index.node' },
  },
  { name: 'cpu', build: 'cpu', libraries: [] },
];
// 9 layers with the output, 1 MiB each, as in the fixture; 40 MiB are used for computing.
const shape: ModelShape = {
  keysPerToken: 1,
  valuesPerToken: 1,
  keyLength: 1,
  valueLength: 1,
  heads: 1,
  trainedContext: 256,
  embedsOnly: false,
  weights: {
    layers: new Array(8).fill({ bytes: mebibyte, cacheShare: 1 / 8 }),
    output: mebibyte,
    input: mebibyte,
    vocabulary: 100,
    width: 100,
  },
};

const open: Engine[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((engine) => engine.close(0)));
});

function start(gpus: readonly GpuFacts[]) {
  const lines: string[] = [];
  const engine = createEngine({
    settings: {
      build: 'auto',
      contextLength: 256,
      numParallel: 1,
      flashAttention: 'auto',
      cacheTypes: { keys: 'f16', values: 'f16' },
      prefixCacheBytes: 0,
      maxLoadedModels: 10,
      maxQueue: 10,
      memoryBudget: 100 * 2 ** 30,
      gpuOverhead: 10 * mebibyte,
      keepAliveMs: 300_000,
      loadTimeout: 60_000,
    },
    runnerScript: fixtureRunner('gpu-memory'),
    planBackends: async (needsVision) => (needsVision ? visionAttempts : attempts),
    listGpus: async ({ libraries }) => (libraries.length > 0 ? gpus : []),
    clock: systemClock,
    logger: createLogger({ clock: systemClock, level: 'warn', write: (line) => lines.push(line) }),
  });
  open.push(engine);
  return { engine, lines };
}

/** The name is also the path of the model. */
async function load(
  engine: Engine,
  name: string,
  options: OptionValues = {},
  projector: Pick<LocalModelSource, 'projectorPath' | 'projectorBytes'> = {},
): Promise<void> {
  const file = { kind: 'local' as const, key: name, weightsPath: name, adapterPaths: [], fileBytes: 10 * mebibyte };
  const source = { ...file, ...projector };
  (await engine.acquire({ name, source, options: resolveOptions(options).load, shape }, never)).release();
}

const gpu = (name: string, free: number): GpuFacts => ({
  name,
  freeBytes: free * mebibyte,
  totalBytes: 500 * mebibyte,
});
const names = (engine: Engine): string[] => engine.loaded().map(({ name }) => name);

test('all layers are on a GPU that has room for them, and the memory there is the measured one', async () => {
  const { engine } = start([gpu('CUDA0', 300)]);
  await load(engine, 'a');
  expect(engine.loaded()).toMatchObject([
    {
      memory: {
        totalBytes: 10 * mebibyte,
        deviceBytes: 9 * mebibyte,
        devices: [{ name: 'CUDA0', bytes: 9 * mebibyte }],
      },
      loaded: { backend: 'cuda', fallback: undefined, layers: { onGpus: 9, total: 9 }, reduced: undefined },
    },
  ]);
});

test('a GPU that is too small has fewer layers, and one without room none', async () => {
  // 10 MiB are reserved, and a layer takes 1 MiB next to the compute buffers.
  const { engine } = start([gpu('CUDA0', 10 + 33 + 5)]);
  await load(engine, 'a');
  const [model] = engine.loaded();
  expect(model?.loaded?.layers?.onGpus).toBeGreaterThan(0);
  expect(model?.loaded?.layers?.onGpus).toBeLessThan(9);
  const { engine: full } = start([gpu('CUDA0', 10)]);
  await load(full, 'a');
  expect(full.loaded()).toMatchObject([{ memory: { deviceBytes: 0 }, loaded: { layers: { onGpus: 0 } } }]);
});

test('two GPUs share the layers by free memory', async () => {
  const { engine } = start([gpu('CUDA0', 400), gpu('CUDA1', 170)]);
  await load(engine, 'a');
  const devices = engine.loaded()[0]?.memory.devices ?? [];
  expect(devices.map(({ name }) => name)).toEqual(['CUDA0', 'CUDA1']);
  expect(devices[0]?.bytes).toBeGreaterThan(devices[1]?.bytes ?? 0);
});

test('a load that fails for memory is tried once more with fewer layers', async () => {
  const { engine, lines } = start([gpu('CUDA0', 300)]);
  await load(engine, 'fits-7');
  expect(engine.loaded()).toMatchObject([
    {
      memory: { deviceBytes: 6 * mebibyte },
      loaded: {
        backend: 'cuda',
        fallback: undefined,
        layers: { onGpus: 6, total: 9 },
        reduced: expect.stringContaining('failed to allocate CUDA0 buffer'),
      },
    },
  ]);
  expect(lines.join('')).toContain('the memory of the GPUs did not suffice');
});

test('if that fails too, the next backend follows', async () => {
  const { engine } = start([gpu('CUDA0', 300)]);
  await load(engine, 'fits-5');
  expect(engine.loaded()).toMatchObject([
    { memory: { deviceBytes: 0 }, loaded: { backend: 'cpu', fallback: expect.stringContaining('cuda: ') } },
  ]);
});

test('a number of layers that the request has is obeyed', async () => {
  const { engine, lines } = start([gpu('CUDA0', 300)]);
  await load(engine, 'a', { numGpu: 4 });
  expect(engine.loaded()).toMatchObject([{ loaded: { layers: { onGpus: 4 } } }]);
  await expect(load(engine, 'fits-3', { numGpu: 4 })).rejects.toMatchObject({ code: 'load_failed' });
  expect(lines).toEqual([]);
});

test('a load unloads idle models on its GPU, not models in main memory or on another one', async () => {
  // Room for one model with its compute buffers on each GPU.
  const { engine } = start([gpu('CUDA0', 60), gpu('CUDA1', 60)]);
  await load(engine, 'in main memory', { numGpu: 0 });
  await load(engine, 'on the second', { splitMode: 'none', mainGpu: 1 });
  await load(engine, 'on the first', { splitMode: 'none' });
  expect(names(engine)).toHaveLength(3);
  await load(engine, 'another on the first', { splitMode: 'none' });
  expect(names(engine)).toEqual(['in main memory', 'on the second', 'another on the first']);
});

const projector = { projectorPath: 'projector', projectorBytes: 5 * mebibyte };

test('the projector of a vision model is on the GPU of its layers', async () => {
  const { engine } = start([gpu('CUDA0', 300)]);
  await load(engine, 'a', {}, projector);
  expect(engine.loaded()).toMatchObject([
    { memory: { deviceBytes: 9 * mebibyte }, loaded: { backend: 'cuda', layers: { onGpus: 9, total: 9 } } },
  ]);
  // The projector leaves no room for layers.
  const { engine: small } = start([gpu('CUDA0', 10 + 33 + 9)]);
  await load(small, 'a', {}, projector);
  expect(small.loaded()).toMatchObject([{ memory: { deviceBytes: 0 }, loaded: { layers: { onGpus: 0 } } }]);
});

test('a vision model unloads an idle text model on its GPU if both do not fit', async () => {
  for (const [free, expected] of [
    // 10 MiB are reserved. A vision model takes 52 MiB, 10 of them for the projector, and a text model 9 when it is loaded.
    [10 + 52 + 5, ['vision']],
    [150, ['text', 'vision']],
  ] as const) {
    const { engine } = start([gpu('CUDA0', free)]);
    await load(engine, 'text');
    await load(engine, 'vision', {}, projector);
    expect(engine.loaded().map(({ name, loaded }) => [name, loaded?.layers?.onGpus])).toEqual(
      expected.map((name) => [name, 9]),
    );
  }
});
