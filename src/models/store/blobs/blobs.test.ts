import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  createReadStream,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { digestOf, hexOf } from '../../../base/digest.ts';
import { lockStore } from '../lock.ts';
import { createStore, type Store } from '../store.ts';

const base = mkdtempSync(join(tmpdir(), 'hearth-blobs-'));
afterAll(() => rmSync(base, { recursive: true }));

let root: string;
let store: Store;
beforeEach(() => {
  root = join(base, String(Math.random()));
  store = createStore(root);
});

const files = (): string[] => readdirSync(join(root, 'blobs')).sort();
const fileOf = (content: string | Uint8Array): string => `sha256-${hexOf(digestOf(content))}`;
const mediaType = 'x';

async function* parts(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

describe('writeBlob', () => {
  test.skipIf(process.platform !== 'linux')(
    'closes the file that it reads if it is aborted before the start',
    async () => {
      const source = join(base, 'source');
      writeFileSync(source, 'weights');
      const streams = Array.from({ length: 50 }, () => createReadStream(source));
      await Promise.all(streams.map((stream) => once(stream, 'open')));
      const writes = streams.map((stream) => store.writeBlob(stream, { mediaType, signal: AbortSignal.abort() }));
      const outcomes = await Promise.allSettled(writes);
      expect(outcomes.map(({ status }) => status)).toEqual(streams.map(() => 'rejected'));
      expect(streams.filter(({ destroyed }) => !destroyed)).toEqual([]);
    },
  );

  test.each([0, 1, 65_536, 2 ** 20, 2 ** 20 + 1, 5_000_000])('stores a stream of %d bytes', async (size) => {
    const content = Buffer.alloc(size, 'abcdefg');
    const source = Readable.from(content.length > 0 ? [content.subarray(0, size / 3), content.subarray(size / 3)] : []);
    const layer = await store.writeBlob(source, { mediaType, expected: digestOf(content) });
    expect(layer).toEqual({ mediaType, digest: digestOf(content), size });
    expect(readFileSync(store.blobPath(layer.digest)).equals(content)).toBe(true);
    expect(files()).toEqual([fileOf(content)]);
  });

  test('accepts a source that reuses its buffer', async () => {
    async function* reusing(): AsyncGenerator<Uint8Array> {
      const buffer = Buffer.alloc(100_000);
      for (let value = 0; value < 50; value++) yield buffer.fill(value);
    }
    const expected = Buffer.concat(Array.from({ length: 50 }, (_, value) => Buffer.alloc(100_000, value)));
    expect((await store.writeBlob(reusing(), { mediaType })).digest).toBe(digestOf(expected));
    expect(readFileSync(store.blobPath(digestOf(expected))).equals(expected)).toBe(true);
  });

  test('rejects an unexpected digest and leaves nothing behind', async () => {
    await expect(store.writeBlob(parts('got'), { mediaType, expected: digestOf('want') })).rejects.toMatchObject({
      code: 'bad_request',
      message: `digest mismatch, expected "${digestOf('want')}", got "${digestOf('got')}"`,
    });
    expect(files()).toEqual([]);
  });

  test('leaves nothing behind if `confirm` rejects the digest', async () => {
    const reject = (): never => {
      throw new Error(`not ${files().length} of these`);
    };
    await expect(store.writeBlob(parts('got'), { mediaType, confirm: reject })).rejects.toThrow('not 1 of these');
    expect(files()).toEqual([]);
  });

  test('leaves nothing behind if the source fails', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(3_000_000);
      throw new Error('connection lost');
    }
    await expect(store.writeBlob(broken(), { mediaType })).rejects.toThrow('connection lost');
    expect(files()).toEqual([]);
  });

  test('can be aborted while the source is silent, and leaves nothing behind', async () => {
    const controller = new AbortController();
    const source = new Readable({ read() {} });
    source.push(Buffer.alloc(2_000_000));
    const writing = store.writeBlob(source, { mediaType, signal: controller.signal });
    await expect.poll(() => files().length).toBe(1);
    controller.abort();
    await expect(writing).rejects.toMatchObject({ code: 'cancelled' });
    expect(files()).toEqual([]);
    await expect(store.writeBlob(parts('x'), { mediaType, signal: controller.signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
  });

  test('does not read the source if the blob exists', async () => {
    await store.putBlob(Buffer.from('known'), mediaType);
    // biome-ignore lint/correctness/useYield: it must not be called.
    async function* never(): AsyncGenerator<Uint8Array> {
      throw new Error('was read');
    }
    expect(await store.writeBlob(never(), { mediaType, expected: digestOf('known') })).toMatchObject({ size: 5 });
  });

  test('accepts ten concurrent writes of one blob', async () => {
    const content = 'y'.repeat(3_000_000);
    const layers = await Promise.all(
      Array.from({ length: 10 }, () => store.writeBlob(parts(content), { mediaType, expected: digestOf(content) })),
    );
    expect(new Set(layers.map(({ digest }) => digest))).toEqual(new Set([digestOf(content)]));
    expect(files()).toEqual([fileOf(content)]);
  });

  test('applies backpressure: the source is never far ahead of the disk', async () => {
    let pulled = 0;
    async function* counting(): AsyncGenerator<Uint8Array> {
      for (; pulled < 64; pulled++) yield Buffer.alloc(2 ** 20);
    }
    const controller = new AbortController();
    const writing = store.writeBlob(counting(), { mediaType, signal: controller.signal });
    await expect.poll(() => files().length).toBe(1);
    const [name = ''] = files();
    const { size } = lstatSync(join(root, 'blobs', name));
    expect(pulled * 2 ** 20 - size).toBeLessThanOrEqual(8 * 2 ** 20);
    await writing;
  });
});

describe('a blob', () => {
  test('with changed content is not returned', async () => {
    const layer = await store.putBlob(Buffer.from('text'), mediaType);
    writeFileSync(store.blobPath(layer.digest), 'toxt');
    await expect(store.readBlob(layer)).rejects.toMatchObject({
      code: 'store_damaged',
      message: `blob ${layer.digest} is corrupt: its content does not match its digest`,
    });
  });

  test('that is a link does not exist; writing it replaces the link, not its target', async () => {
    const outside = join(base, 'outside.txt');
    writeFileSync(outside, 'secret');
    mkdirSync(join(root, 'blobs'), { recursive: true });
    const digest = digestOf('secret');
    symlinkSync(outside, store.blobPath(digest));
    expect(await store.hasBlob(digest)).toBe(false);
    await expect(store.readBlob({ mediaType, digest, size: 6 })).rejects.toThrow('is missing from the store');
    await expect(store.locateBlob(digest)).rejects.toThrow('is missing from the store');
    await store.collectGarbage({ graceMs: 0 });
    expect(lstatSync(store.blobPath(digest)).isSymbolicLink()).toBe(true);

    await store.writeBlob(parts('sec', 'ret'), { mediaType, expected: digest });
    expect(lstatSync(store.blobPath(digest)).isFile()).toBe(true);
    expect(readFileSync(outside, 'utf8')).toBe('secret');
    expect(await store.locateBlob(digest)).toBe(store.blobPath(digest));
  });

  test('adopted through a link is a regular file', async () => {
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, 'real'), 'weights');
    symlinkSync(join(root, 'real'), join(root, 'link'));
    const sources = Array.from({ length: 4 }, () =>
      store.adoptBlob(join(root, 'link'), digestOf('weights'), mediaType),
    );
    await Promise.all(sources);
    expect(lstatSync(store.blobPath(digestOf('weights'))).isFile()).toBe(true);
    expect(files()).toEqual([fileOf('weights')]);
  });
});

test('a full disk gives a clear error; the store stays intact and the space is freed', async (context) => {
  mkdirSync(root, { recursive: true });
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', root]);
  // Without the right to mount, test/e2e/store-crash.test.ts still covers a limit that any user can set.
  if (status !== 0 && process.env['CI'] !== 'true') context.skip('mounting a small disk needs root');
  expect(status, 'mount a small disk').toBe(0);
  try {
    const before = await store.putBlob(Buffer.from('before'), mediaType);
    const free = statfsSync(root).bfree;
    const large = Buffer.alloc(6_000_000);
    const message = /^the disk of the model store is full/;
    await expect(store.writeBlob(Readable.from([large]), { mediaType })).rejects.toThrow(message);
    await expect(store.putBlob(large, mediaType)).rejects.toThrow(message);
    expect(files()).toEqual([fileOf('before')]);
    expect(statfsSync(root).bfree).toBe(free);
    expect((await store.readBlob(before)).toString()).toBe('before');
    expect(await store.writeBlob(parts('after'), { mediaType })).toMatchObject({ size: 5 });

    expect(() => writeFileSync(join(root, 'filler'), large)).toThrow('ENOSPC');
    expect((await lockStore(root)).held).toBe(false);
    expect(await store.list()).toEqual([]);
  } finally {
    spawnSync('umount', [root]);
  }
});
