import { describe, expect, test } from 'vitest';
import { judgeDisk, judgePermissions, judgeStore } from './storage-checks.ts';

describe('disk', () => {
  const store = { role: 'store', path: '/models', totalBytes: 500e9 } as const;

  test.each([
    ['enough', { ...store, freeBytes: 100e9 }, 'ok', 'store /models: 100 GB of 500 GB free'],
    ['little', { ...store, freeBytes: 2e9 }, 'warning', 'store /models: 2 GB of 500 GB free'],
    ['nothing', { ...store, freeBytes: 2e6 }, 'problem', 'store /models: 2 MB of 500 GB free'],
    [
      'little for prompts',
      { role: 'cache', path: '/c', freeBytes: 5e8, totalBytes: 1e9 } as const,
      'warning',
      /^cache \/c: 500 MB/,
    ],
    [
      'a small home',
      { role: 'state', path: '/s', freeBytes: 2e8, totalBytes: 1e9 } as const,
      'ok',
      /^state \/s: 200 MB/,
    ],
    ['no figures', { role: 'store', path: '/nfs' } as const, 'ok', /does not say/],
    [
      'a file',
      { role: 'store', path: '/f/x', failure: 'it is a file' } as const,
      'problem',
      'store /f/x: it is a file',
    ],
  ])('%s', (_, given, status, text) => {
    expect(judgeDisk(given)).toMatchObject({
      status,
      text: typeof text === 'string' ? text : expect.stringMatching(text),
    });
  });
});

describe('permissions', () => {
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
});

describe('store', () => {
  test('a store without defects is ok', () => {
    expect(judgeStore({ models: 0, unreadable: [], incomplete: [] })).toMatchObject([
      { status: 'ok', text: expect.stringContaining('no models yet') },
    ]);
    expect(judgeStore({ models: 3, unreadable: [], incomplete: [] })).toMatchObject([
      { status: 'ok', text: expect.stringContaining('3 models') },
    ]);
  });

  test('each defect is a problem with its next step', () => {
    const findings = judgeStore({
      models: 2,
      unreadable: [{ path: '/m/bad', reason: 'it is a symbolic link' }],
      incomplete: [
        { model: 'ember', defect: 'is missing' },
        { model: 'other', defect: 'has the wrong size' },
      ],
    });
    expect(findings.map(({ status, text }) => [status, text])).toEqual([
      ['problem', 'the manifest /m/bad cannot be used: it is a symbolic link'],
      ['problem', 'ember: a file of the model is missing'],
      ['problem', 'other: a file of the model has the wrong size'],
    ]);
    expect(findings[1]?.nextStep).toContain('hearth pull ember');
  });

  test('a list of many defects is short', () => {
    const incomplete = Array.from({ length: 40 }, (_, index) => ({
      model: `m${index}`,
      defect: 'is missing' as const,
    }));
    const findings = judgeStore({ models: 40, unreadable: [], incomplete });
    expect(findings).toHaveLength(11);
    expect(findings.at(-1)).toMatchObject({ status: 'problem', text: '30 more defects' });
  });
});
