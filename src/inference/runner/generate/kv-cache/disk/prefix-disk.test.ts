import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFakeClock } from '../../../../../../test/support/fake-clock.ts';
import type { CachedPrefix } from '../prefix-cache.ts';
import { createPortableForm, type StoredForm } from './portable-state.ts';
import { PrefixDisk, type PrefixDiskOptions } from './prefix-disk.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-prefixes-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const emptyState = Buffer.alloc(20);
const emptyWhole = Buffer.concat([
  Buffer.alloc(8),
  Buffer.from([2, ...Array<number>(11).fill(0)]),
  emptyState.subarray(8),
]);
const form = createPortableForm('hybrid', 2, { whole: emptyWhole, state: emptyState }) as StoredForm;
const key = 'ab'.repeat(32);

function openDisk(options: Partial<PrefixDiskOptions> = {}): PrefixDisk & { readonly stored: () => number } {
  let stored = 0;
  const disk = new PrefixDisk({
    folder,
    key,
    form,
    cutsAnywhere: false,
    contextLength: 4096,
    modelBytes: 1000,
    maxBytes: 1_000_000,
    clock: createFakeClock(),
    onStored: () => stored++,
    warn: () => {},
    ...options,
  });
  return Object.assign(disk, { stored: () => stored });
}

/** A prefix of these tokens, with content that depends on them. */
function prefixOf(tokens: readonly number[], marks: readonly number[] = [], partition = ''): CachedPrefix {
  const whole = form.prepare([tokens.length * 8, 50]);
  whole?.parts.forEach((part) => void part.fill(`whole ${tokens.join()}`));
  return {
    tokens: Int32Array.from(tokens),
    promptLength: tokens.length,
    snapshot: whole?.snapshot as Buffer,
    stateBytes: whole?.stateBytes ?? 0,
    marks: marks.map((length) => {
      const state = form.prepareState(50);
      state?.parts[0]?.fill(`state ${length} ${tokens.join()}`);
      return { length, state: state?.snapshot as Buffer };
    }),
    partition,
  };
}

const range = (length: number, start = 0): number[] => Array.from({ length }, (_, index) => start + index);
const files = (): string[] => readdirSync(folder);
const fileOf = (): string => join(folder, files()[0] as string);

async function store(entry: CachedPrefix, used = true): Promise<void> {
  const disk = openDisk();
  disk.offer(entry, { used, leaving: false });
  await disk.settled();
}

describe('a written prefix', () => {
  test('is read by the next runner, byte for byte, as a whole or up to a mark', async () => {
    const entry = prefixOf(range(200), [100, 150]);
    await store(entry);
    const disk = openDisk();
    const found = disk.find({ tokens: range(300), partition: '' });
    expect(found?.length).toBe(200);
    expect(found?.read()).toEqual(entry);
    expect(disk.find({ tokens: [...range(170), 9], partition: '' })?.length).toBe(150);
    expect(disk.find({ tokens: range(99), partition: '' })).toBeUndefined();
    expect(disk.counters).toMatchObject({ prefixFilesRead: 1, prefixFilesDamaged: 0 });
  });

  test('is private to the user', async () => {
    await store(prefixOf(range(200)));
    expect(statSync(fileOf()).mode & 0o777).toBe(0o600);
  });

  test('is reported', async () => {
    const disk = openDisk();
    disk.offer(prefixOf(range(200)), { used: true, leaving: false });
    await disk.settled();
    expect(disk.stored()).toBe(1);
    expect(disk.counters.prefixFilesWritten).toBe(1);
  });

  test('is replaced by a longer one that provides all of it', async () => {
    const disk = openDisk();
    for (const entry of [prefixOf(range(200), [100]), prefixOf(range(400), [100, 200])])
      disk.offer(entry, { used: true, leaving: false });
    await disk.settled();
    expect(files()).toHaveLength(1);
    expect(disk.find({ tokens: range(250), partition: '' })?.length).toBe(200);
  });

  test('is not visible in another partition', async () => {
    await store(prefixOf(range(200), [], 'alice'));
    const disk = openDisk();
    expect(disk.find({ tokens: range(300), partition: 'bob' })).toBeUndefined();
    expect(disk.find({ tokens: range(300), partition: '' })).toBeUndefined();
    expect(disk.find({ tokens: range(300), partition: 'alice' })?.read()?.partition).toBe('alice');
    expect(readFileSync(fileOf()).includes('alice')).toBe(false);
  });

  test('is not used by a context that cannot hold it', async () => {
    await store(prefixOf(range(200), [100]));
    expect(openDisk({ contextLength: 200 }).find({ tokens: range(150), partition: '' })).toBeUndefined();
  });

  test('of another key is left alone, and not found', async () => {
    await store(prefixOf(range(200)));
    expect(openDisk({ key: 'cd'.repeat(32) }).find({ tokens: range(300), partition: '' })).toBeUndefined();
    expect(files()).toHaveLength(1);
  });
});

describe('nothing is written', () => {
  test('if it is not worth it', async () => {
    await store(prefixOf(range(200)), false);
    await store(prefixOf(range(20)), true);
    expect(files()).toEqual([]);
  });

  test('beyond the limit', async () => {
    const disk = openDisk({ maxBytes: 1000 });
    disk.offer(prefixOf(range(200)), { used: true, leaving: false });
    await disk.settled();
    expect(files()).toEqual([]);
  });

  test('after a failure, and requests go on', async () => {
    const warnings: string[] = [];
    const disk = openDisk({ folder: join(folder, 'missing'), warn: (message) => warnings.push(message) });
    for (const start of [0, 1000]) disk.offer(prefixOf(range(200, start)), { used: true, leaving: false });
    await disk.settled();
    expect(warnings).toHaveLength(1);
    expect(disk.counters.prefixFilesWritten).toBe(0);
  });
});

describe('a damaged file is ignored and removed', () => {
  const damages: Readonly<Record<string, (path: string) => void>> = {
    'a changed byte in the tokens': (path) => flip(path, 300),
    'a changed byte in a snapshot': (path) => flip(path, 1500),
    'a changed byte at the end': (path) => flip(path, statSync(path).size - 1),
    'a missing end': (path) => truncateSync(path, statSync(path).size - 1),
    'an empty file': (path) => truncateSync(path, 0),
    'a few bytes': (path) => truncateSync(path, 10),
    'other content': (path) => writeFileSync(path, 'something else'.repeat(100)),
    'a huge head': (path) => {
      const bytes = readFileSync(path);
      bytes.writeUInt32LE(0xffffffff, 12);
      writeFileSync(path, bytes);
    },
  };

  function flip(path: string, offset: number): void {
    const bytes = readFileSync(path);
    bytes.writeUInt8(bytes.readUInt8(offset) ^ 1, offset);
    writeFileSync(path, bytes);
  }

  test.each(Object.entries(damages))('%s', async (_, damage) => {
    await store(prefixOf(range(200)));
    damage(fileOf());
    const disk = openDisk();
    expect(disk.find({ tokens: range(300), partition: '' })?.read()).toBeUndefined();
    expect(files()).toEqual([]);
  });

  test('a file that was removed meanwhile is a miss', async () => {
    await store(prefixOf(range(200)));
    const disk = openDisk();
    const found = disk.find({ tokens: range(300), partition: '' });
    rmSync(fileOf());
    expect(found?.read()).toBeUndefined();
    expect(disk.find({ tokens: range(300), partition: '' })).toBeUndefined();
    expect(disk.counters.prefixFilesDamaged).toBe(0);
  });
});
