import { expect, test } from 'vitest';
import type { Address, ContextPointer } from '../llama/bindings/pointers.ts';
import { createThreadPools } from './thread-pools.ts';

function setUp(newPool: (threads: number) => Address | null = (threads) => BigInt(100 + threads) as Address) {
  const calls: string[] = [];
  const pools = createThreadPools({
    api: {
      threadpoolNew({ n_threads: threads }) {
        calls.push(`new ${threads}`);
        return newPool(threads);
      },
      attachThreadpool: (context, pool) => void calls.push(`attach ${context} ${pool}`),
      setThreads: (context, threads) => void calls.push(`set ${context} ${threads}`),
    },
    onStart() {},
  });
  return { pools, calls };
}

const first = 1n as ContextPointer;
const second = 2n as ContextPointer;

test('contexts share a pool for each number of threads', () => {
  const { pools, calls } = setUp();
  pools.use(first, 2);
  pools.use(first, 2);
  pools.use(second, 2);
  pools.use(first, 1);
  pools.use(first, 2);
  expect(calls).toEqual([
    'new 2',
    ...['attach 1 102', 'set 1 2'],
    ...['attach 2 102', 'set 2 2'],
    'new 1',
    ...['attach 1 101', 'set 1 1'],
    ...['attach 1 102', 'set 1 2'],
  ]);
});

test('a new context at the address of one that was freed gets its threads', () => {
  const { pools, calls } = setUp();
  pools.use(first, 2);
  pools.forget(first);
  pools.use(first, 2);
  expect(calls.filter((call) => call === 'attach 1 102')).toHaveLength(2);
});

test('without pools, llama.cpp starts the threads', () => {
  const { pools, calls } = setUp(() => null);
  pools.use(first, 2);
  pools.use(second, 2);
  expect(calls).toEqual(['new 2', 'set 1 2', 'set 2 2']);
});
