import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { digestOf } from '../../../base/digest.ts';
import { parseModelName } from '../../name.ts';
import { lockStore } from '../lock.ts';
import { type Manifest, mediaTypes } from '../manifests/manifest.ts';
import { createStore, type Store } from '../store.ts';
import { explainDiskError } from './disk-errors.ts';

const base = mkdtempSync(join(tmpdir(), 'hearth-disk-'));
afterAll(() => rmSync(base, { recursive: true }));

const a = parseModelName('a');
const changes: readonly (readonly [string, (store: Store) => Promise<unknown>])[] = [
  ['create', (store) => store.putBlob(Buffer.from('new'), 'x')],
  ['pull', (store) => store.openPartial(digestOf('pulled'), 10)],
  ['copy', (store) => store.copyModel(a, parseModelName('b'))],
  ['delete', (store) => store.removeModel(a)],
  ['a note', (store) => store.writeNote('note.json', '{}')],
];

function systemError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: bad, ${syscall} '/x'`), { code, syscall });
}

test.each([
  ['EROFS', 'rm', 'store_read_only'],
  ['EACCES', 'open', 'store_read_only'],
  ['EPERM', 'rename', 'store_read_only'],
  ['ENOENT', 'mkdir', 'store_read_only'],
  ['ENOTDIR', 'mkdir', 'store_read_only'],
  ['ENOSPC', 'write', 'disk_full'],
  ['EDQUOT', 'write', 'disk_full'],
  ['EFBIG', 'write', 'disk_full'],
])('%s of %s is a sentence with the next step', (code, syscall, expected) => {
  const error = explainDiskError(systemError(code, syscall), '/folder') as Error;
  expect(error).toMatchObject({ code: expected });
  // Clients get the message of a failed write; a folder that cannot be created stops the start.
  expect(error.message.includes('/folder')).toBe(syscall === 'mkdir');
  expect(error.message).not.toContain(code);
  expect(error.message).toMatch(/try again|choose another store/);
});

test('other errors are unchanged', () => {
  const error = systemError('ENOENT', 'open');
  expect(explainDiskError(error, '/folder')).toBe(error);
});

describe('a folder that cannot be created', () => {
  const message = /cannot be created\. Check that its parent is a folder on a writable disk/;
  writeFileSync(join(base, 'file'), '');

  test('stops the start', async () => {
    await expect(lockStore(join(base, 'file', 'models'))).rejects.toThrow(message);
  });

  test('is an error of create and pull', async () => {
    const store = createStore(join(base, 'file', 'models'));
    await expect(store.putBlob(Buffer.from('x'), 'x')).rejects.toThrow(message);
    await expect(store.openPartial(digestOf('x'), 1)).rejects.toThrow(message);
    await expect(store.freeBytes()).rejects.toThrow(message);
  });

  test.skipIf(process.platform !== 'linux')('also in a file system without new folders', async () => {
    await expect(lockStore('/proc/hearth/models')).rejects.toThrow(message);
  });
});

test('a read-only disk gives sentences', async (context) => {
  const root = join(base, 'read-only');
  mkdirSync(root);
  const mount = (...options: readonly string[]): number | null =>
    spawnSync('mount', ['-t', 'tmpfs', '-o', options.join(','), 'tmpfs', root]).status;
  const status = mount('size=4m');
  if (status !== 0 && process.env['CI'] !== 'true') context.skip('mounting a disk needs root');
  expect(status, 'mount a disk').toBe(0);
  try {
    const store = createStore(root);
    const config = await store.putBlob(Buffer.from('{}'), mediaTypes.config);
    await store.putManifest(a, { schemaVersion: 2, mediaType: mediaTypes.manifest, config, layers: [] } as Manifest);
    expect(mount('remount', 'ro'), 'make the disk read-only').toBe(0);
    for (const [name, change] of changes) {
      await expect(change(store), name).rejects.toMatchObject({
        code: 'store_read_only',
        message: expect.stringContaining('is read-only. Make the disk writable'),
      });
    }
    expect((await lockStore(root)).held).toBe(false);
  } finally {
    spawnSync('umount', [root]);
  }
});
