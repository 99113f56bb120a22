import { expect, test } from 'vitest';
import { judgePermissions } from './permissions.ts';

const store = { role: 'store', path: '/models' } as const;
const cache = { role: 'cache', path: '/cache' } as const;
const key = { path: '/s/id_ed25519', readable: true, mode: 0o600 };

test('writable folders and private files are ok', () => {
  expect(judgePermissions({ folders: [store, cache], files: [key] })).toEqual([
    { status: 'ok', text: 'writable: store, cache; nobody else can read the private file' },
  ]);
  expect(judgePermissions({ folders: [store], files: [] })).toMatchObject([{ text: 'writable: store' }]);
  const withoutModes = [
    { path: 'C:\\key', readable: true },
    { path: 'C:\\other', readable: true },
  ];
  expect(judgePermissions({ folders: [store], files: withoutModes })).toMatchObject([
    { status: 'ok', text: expect.stringContaining('2 private files') },
  ]);
});

test('a store that is not writable is a problem, a cache only a warning', () => {
  const folders = [store, cache].map((folder) => ({ ...folder, failure: 'no permission' }));
  expect(judgePermissions({ folders, files: [] })).toMatchObject([
    { status: 'problem', text: 'store /models is not writable: no permission' },
    { status: 'warning', text: 'cache /cache is not writable: no permission' },
  ]);
});

test('a file that others can read is a warning, one that cannot be read is a problem', () => {
  const files = [
    { ...key, mode: 0o640 },
    { ...key, path: '/s/keys.json', readable: false },
  ];
  expect(judgePermissions({ folders: [store], files })).toMatchObject([
    { status: 'warning', nextStep: 'run `chmod 600 /s/id_ed25519`' },
    { status: 'problem', text: '/s/keys.json cannot be read' },
  ]);
});
