import { expect, test } from 'vitest';
import { judgeMemory } from './memory.ts';

const facts = { total: 16e9, available: 9e9, budget: 0 };

test.each([
  ['enough', facts, 'ok', '16 GB, 9 GB available'],
  ['a container', { ...facts, limit: 4e9 }, 'ok', '16 GB, 9 GB available, the limit of the container is 4 GB'],
  ['little left', { ...facts, available: 1e9 }, 'warning', '16 GB, 1 GB available'],
  [
    'a small container',
    { ...facts, limit: 1e9 },
    'warning',
    '16 GB, 9 GB available, the limit of the container is 1 GB',
  ],
  [
    'a budget that is too large',
    { ...facts, budget: 20e9 },
    'warning',
    expect.stringContaining('HEARTH_MEMORY_BUDGET'),
  ],
  ['a tiny container', { ...facts, limit: 0.4e9 }, 'problem', expect.stringContaining('400 MB')],
])('%s', (_, given, status, text) => {
  expect(judgeMemory(given)).toMatchObject([{ status, text }]);
});
