import { describe, expect, test } from 'vitest';
import { HearthError } from '../../../base/errors.ts';
import { silentLogger } from '../../../base/logger.ts';
import type { BackendAttempt } from '../../backends/plan-backends.ts';
import type { LoadCommand, LoadedEvent } from '../../protocol/messages.ts';
import type { RunnerProcess } from './runner-process.ts';
import { startModel } from './start-model.ts';

type Outcome =
  | 'loads'
  | 'does not open'
  | 'dies while opening'
  | 'dies in the first decode'
  | 'does not load the model';

const attempts: readonly BackendAttempt[] = [
  { name: 'cuda', build: 'auto', libraries: ['/cuda.so'] },
  { name: 'vulkan', build: 'auto', libraries: ['/vulkan.so'] },
  { name: 'cpu', build: 'cpu', libraries: [] },
];
const gpu = { name: 'X0', description: 'Some GPU', freeBytes: 1, totalBytes: 2 };
const states: Readonly<
  Record<Outcome, Pick<RunnerProcess, 'opened' | 'warmingOn'> & { readonly error?: HearthError }>
> = {
  loads: { opened: true, warmingOn: undefined },
  'does not open': { opened: false, warmingOn: undefined, error: new HearthError('load_failed', 'no library') },
  'dies while opening': { opened: false, warmingOn: undefined, error: new HearthError('runner_died', 'signal') },
  'dies in the first decode': { opened: true, warmingOn: [gpu], error: new HearthError('runner_died', 'bad code') },
  'does not load the model': { opened: true, warmingOn: undefined, error: new HearthError('load_failed', 'bad file') },
};

async function start(outcomes: Readonly<Record<string, Outcome>>) {
  const commands: LoadCommand[] = [];
  const stopped: string[] = [];
  const result = startModel({
    startRunner({ name }) {
      const { error, ...state } = states[outcomes[name] ?? 'loads'];
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
    command: { type: 'load', options: { numGpu: -1 } } as LoadCommand,
    attempts,
    logger: silentLogger,
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
