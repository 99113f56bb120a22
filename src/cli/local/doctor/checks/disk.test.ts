import { expect, test } from 'vitest';
import { judgeDisk } from './disk.ts';

const store = { role: 'store', path: '/models', total: 500e9 } as const;

test.each([
  ['enough', { ...store, free: 100e9 }, 'ok', 'store /models: 100 GB of 500 GB free'],
  ['little', { ...store, free: 2e9 }, 'warning', 'store /models: 2 GB of 500 GB free'],
  ['nothing', { ...store, free: 2e6 }, 'problem', 'store /models: 2 MB of 500 GB free'],
  [
    'little for prompts',
    { role: 'cache', path: '/c', free: 5e8, total: 1e9 } as const,
    'warning',
    /^cache \/c: 500 MB/,
  ],
  ['a small home', { role: 'state', path: '/s', free: 2e8, total: 1e9 } as const, 'ok', /^state \/s: 200 MB/],
  ['no figures', { role: 'store', path: '/nfs' } as const, 'ok', /does not say/],
  ['a file', { role: 'store', path: '/f/x', failure: 'it is a file' } as const, 'problem', 'store /f/x: it is a file'],
])('%s', (_, given, status, text) => {
  expect(judgeDisk(given)).toMatchObject({
    status,
    text: typeof text === 'string' ? text : expect.stringMatching(text),
  });
});
