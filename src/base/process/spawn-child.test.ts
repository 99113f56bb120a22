import { expect, test } from 'vitest';
import { withLibraryFolders } from './spawn-child.ts';

test.each<[string, string, Record<string, string>, Record<string, string>]>([
  ['no variable', 'linux', {}, { LD_LIBRARY_PATH: '/a:/b' }],
  ['before those of the user', 'linux', { LD_LIBRARY_PATH: '/c' }, { LD_LIBRARY_PATH: '/a:/b:/c' }],
  [
    'an empty variable, which would be the current folder',
    'linux',
    { LD_LIBRARY_PATH: '' },
    { LD_LIBRARY_PATH: '/a:/b' },
  ],
  ['Windows', 'win32', { Path: 'C:\\x' }, { Path: '/a;/b;C:\\x' }],
])('library folders: %s', (_, platform, environment, expected) => {
  const settings = { environment: { LANG: 'C', ...environment }, launcher: 'launcher' };
  expect(withLibraryFolders(settings, ['/a', '/b'], platform)).toEqual({
    environment: { LANG: 'C', ...expected },
    launcher: 'launcher',
  });
  expect(withLibraryFolders(settings, [], platform)).toBe(settings);
});
