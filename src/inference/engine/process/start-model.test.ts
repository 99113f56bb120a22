import { describe, expect, test } from 'vitest';
import { HearthError } from '../../../base/errors.ts';
import { silentLogger } from '../../../base/logger.ts';
import type { BackendAttempt } from '../../backends/plan-backends.ts';
import type { LoadCommand, LoadedEvent } from '../../protocol/messages.ts';
import type { LoadPlacement } from '../planning/plan-placement.ts';
import type { RunnerProcess } from './runner-process.ts';
import { type StartModelOptions, startModel } from './start-model.ts';

type Outcome =
  | 'loads'
  | 'does not open'
  | 'dies while opening'
  | 'dies in the first decode'
  | 'does not load the model'
  | 'has no memory'
  | 'has no memory in the first decode';

const attempts: readonly BackendAttempt[] = [
  { name: 'cuda', build: 'auto', libraries: ['/cuda.so'] },
  { name: 'vulkan', build: 'auto', libraries: ['/vulkan.so'] },
  { name: 'cpu', build: 'cpu', libraries: [] },
];
const gpu = { name: 'X0', description: 'Some GPU', freeBytes: 1, totalBytes: 2 };
const noMemory = 'alloc_tensor_range: failed to allocate CUDA0 buffer of size 1';
type RunnerState = Pick<RunnerProcess, 'opened' | 'warmingOn'> & Partial<Pick<RunnerProcess, 'memoryFailure'>>;
const states: Readonly<Record<Outcome, RunnerState & { readonly error?: HearthError }>> = {
  loads: { opened: true, warmingOn: undefined },
  'does not open': { opened: false, warmingOn: undefined, error: new HearthError('load_failed', 'no library') },
  'dies while opening': { opened: false, warmingOn: undefined, error: new HearthError('runner_died', 'signal') },
  'dies in the first decode': { opened: true, warmingOn: [gpu], error: new HearthError('runner_died', 'bad code') },
  'does not load the model': { opened: true, warmingOn: undefined, error: new HearthError('load_failed', 'bad file') },
  'has no memory': {
    opened: true,
    warmingOn: undefined,
    memoryFailure: noMemory,
    error: new HearthError('load_failed', 'no memory'),
  },
  'has no memory in the first decode': {
    opened: true,
    warmingOn: [gpu],
    memoryFailure: 'CUDA error: out of memory',
    error: new HearthError('runner_died', 'signal SIGABRT'),
  },
};

interface StartOptions {
  readonly attempts?: readonly BackendAttempt[];
  readonly numGpu?: number;
  readonly place?: NonNullable<StartModelOptions['place']>;
  readonly cpuContext?: NonNullable<StartModelOptions['cpuContext']>;
}

/** A list has an outcome for each attempt with the backend. */
async function start(
  outcomes: Readonly<Record<string, Outcome | readonly Outcome[]>>,
  { numGpu = -1, ...options }: StartOptions = {},
) {
  const commands: LoadCommand[] = [];
  const stopped: string[] = [];
  const starts: string[] = [];
  const result = startModel({
    startRunner({ name }) {
      const earlier = starts.filter((other) => other === name).length;
      starts.push(name);
      const outcome = [outcomes[name] ?? 'loads'].flat()[earlier] ?? 'loads';
      const { error, ...state } = states[outcome];
      return {
        ...state,
        async load(command: LoadCommand) {
          commands.push(command);
          if (error !== undefined) throw error;
          return { type: 'loaded', engine: 'e' } as LoadedEvent;
        },
        stop: async () => void stopped.push(name),
      } as unknown as RunnerProcess;
    },
    command: { type: 'load', options: { numGpu } } as LoadCommand,
    attempts,
    logger: silentLogger,
    ...options,
  });
  return { result: await result.catch((error: HearthError) => error), commands, stopped };
}

test('the first backend that loads is used, with its libraries', async () => {
  const { result, commands, stopped } = await start({});
  expect(result).toMatchObject({ backend: 'cuda', fallback: undefined });
  expect(commands).toEqual([{ type: 'load', options: { numGpu: -1 }, build: 'auto', libraries: ['/cuda.so'] }]);
  expect(stopped).toEqual([]);
});

describe.each([
  ['does not open', 'cuda: no library'],
  ['dies while opening', 'cuda: signal'],
  ['dies in the first decode', 'cuda: Some GPU: bad code'],
] as const)('a backend that %s', (outcome, reason) => {
  test('leads to the next one', async () => {
    const { result, stopped } = await start({ cuda: outcome });
    expect(result).toMatchObject({ backend: 'vulkan', fallback: reason });
    expect(stopped).toEqual(['cuda']);
  });
  test('leads to the CPU if the next one fails too', async () => {
    const { result, commands } = await start({ cuda: outcome, vulkan: 'does not open' });
    expect(result).toMatchObject({ backend: 'cpu', fallback: `${reason}; vulkan: no library` });
    expect(commands.at(-1)).toEqual({ type: 'load', options: { numGpu: 0 }, build: 'cpu' });
  });
});

test('an engine for images is tried like a library', async () => {
  const engineOf = (name: string) => ({ name: `vision-${name}`, file: `/${name}/index.node` });
  const engines: readonly BackendAttempt[] = [
    { name: 'cuda', build: 'auto', libraries: [], visionEngine: engineOf('cuda') },
    { name: 'vulkan', build: 'auto', libraries: [], visionEngine: engineOf('vulkan') },
    { name: 'cpu', build: 'cpu', libraries: [] },
  ];
  for (const outcome of ['does not open', 'dies while opening', 'dies in the first decode'] as const) {
    const { result, commands } = await start({ cuda: outcome }, { attempts: engines });
    expect(result).toMatchObject({ backend: 'vulkan', fallback: expect.stringMatching(/^cuda with vision-cuda: /) });
    expect(commands.map(({ visionEngine, libraries }) => [visionEngine, libraries])).toEqual([
      ['/cuda/index.node', undefined],
      ['/vulkan/index.node', undefined],
    ]);
  }
  const { commands } = await start({ cuda: 'does not open', vulkan: 'does not open' }, { attempts: engines });
  expect(commands.at(-1)).toEqual({ type: 'load', options: { numGpu: 0 }, build: 'cpu' });
});

test('a model that does not load is not the fault of the backend', async () => {
  const { result, commands, stopped } = await start({ cuda: 'does not load the model' });
  expect(result).toMatchObject({ code: 'load_failed', message: 'bad file' });
  expect(commands).toHaveLength(1);
  expect(stopped).toEqual(['cuda']);
});

test('a runner that dies on the CPU is not started again', async () => {
  const { result, commands } = await start({
    cuda: 'does not open',
    vulkan: 'does not open',
    cpu: 'dies while opening',
  });
  expect(result).toMatchObject({ code: 'runner_died' });
  expect(commands).toHaveLength(3);
});

describe('GPU memory', () => {
  const placement: LoadPlacement = {
    count: 33,
    total: 33,
    split: [33],
    expertLayers: 0,
    devices: new Map([['CUDA0', 1]]),
    isAutomatic: true,
    movesExperts: true,
    lengths: [8192, 4096],
    options: { numGpu: 33, tensorSplit: undefined, numCpuMoe: 0 },
    bytes: 1,
  };
  const place: StartOptions['place'] = async ({ libraries }) => (libraries.length > 0 ? placement : undefined);

  test('the placement is what the runner is told', async () => {
    const { result, commands } = await start({}, { place });
    expect(commands).toMatchObject([{ options: { numGpu: 33 }, contextLengths: [8192, 4096] }]);
    expect(result).toMatchObject({ layers: { onGpus: 33, total: 33 }, reduced: undefined });
  });

  test('a mixture of experts is tried once more with more experts in main memory', async () => {
    const options = { ...placement.options, numCpuMoe: 4 };
    const { result, commands } = await start(
      { cuda: ['has no memory', 'loads'] },
      {
        place: async ({ libraries }) => (libraries.length > 0 ? { ...placement, expertLayers: 4, options } : undefined),
      },
    );
    expect(commands.map(({ options: { numGpu, numCpuMoe } }) => [numGpu, numCpuMoe])).toEqual([
      [33, 4],
      [33, 13],
    ]);
    expect(result).toMatchObject({ layers: { onGpus: 33, total: 33, expertsInMemory: 13 } });
  });

  test('a number of layers without experts that the options have is kept', async () => {
    const kept = {
      ...placement,
      expertLayers: 4,
      movesExperts: false,
      options: { ...placement.options, numCpuMoe: 4 },
    };
    const { commands } = await start(
      { cuda: ['has no memory', 'loads'] },
      { place: async ({ libraries }) => (libraries.length > 0 ? kept : undefined) },
    );
    expect(commands.map(({ options: { numGpu, numCpuMoe } }) => [numGpu, numCpuMoe])).toEqual([
      [33, 4],
      [24, 4],
    ]);
  });

  test.each(['has no memory', 'has no memory in the first decode'] as const)(
    'a backend that %s is tried once more with fewer layers',
    async (outcome) => {
      const { result, commands, stopped } = await start({ cuda: [outcome, 'loads'] }, { place });
      expect(result).toMatchObject({
        backend: 'cuda',
        fallback: undefined,
        layers: { onGpus: 24, total: 33 },
        reduced: expect.stringMatching(/^there was no memory for 33 layers: (alloc_tensor_range|CUDA error): /),
      });
      expect(commands.map(({ options }) => options.numGpu)).toEqual([33, 24]);
      expect(stopped).toEqual(['cuda']);
    },
  );

  test('then the next backend follows, with its own placement, and at last the CPU', async () => {
    const outcomes = { cuda: ['has no memory', 'has no memory'], vulkan: ['has no memory', 'has no memory'] } as const;
    const cpuContext = { contextLengths: [4096], parallel: 2 };
    const { result, commands, stopped } = await start(outcomes, { place, cpuContext });
    expect(result).toMatchObject({
      backend: 'cpu',
      fallback: `cuda: ${noMemory}; vulkan: ${noMemory}`,
      layers: undefined,
      reduced: undefined,
    });
    expect(commands.map(({ options }) => options.numGpu)).toEqual([33, 24, 33, 24, 0]);
    expect(commands.at(-1)).toMatchObject(cpuContext);
    expect(stopped).toEqual(['cuda', 'cuda', 'vulkan', 'vulkan']);
  });

  test('without a placement there is nothing to reduce', async () => {
    const { result, commands } = await start({ cuda: 'has no memory' });
    expect(result).toMatchObject({ backend: 'vulkan', fallback: `cuda: ${noMemory}` });
    expect(commands).toHaveLength(2);
  });

  test('a number of layers that was asked for is not changed', async () => {
    const asked: StartOptions['place'] = async () => ({ ...placement, isAutomatic: false });
    const { result, commands } = await start({ cuda: 'has no memory' }, { numGpu: 33, place: asked });
    expect(result).toMatchObject({ code: 'load_failed', message: 'no memory' });
    expect(commands).toHaveLength(1);
  });

  test('a load that fails otherwise has no second attempt', async () => {
    const { result, commands } = await start({ cuda: 'does not load the model' }, { place });
    expect(result).toMatchObject({ code: 'load_failed', message: 'bad file' });
    expect(commands).toHaveLength(1);
  });
});
