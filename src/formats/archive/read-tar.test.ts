import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { paxRecord, type TarFile, writeTar, writeTarGz } from '../../../test/support/packages/write-tar.ts';
import { repeatedBlock, writeZstd, zstdFrame } from '../../../test/support/zstd.ts';
import { digestOf } from '../../base/digest.ts';
import { type Archive, archiveLimits } from './archive.ts';
import { readTar } from './read-tar.ts';

/** In small chunks, so that headers are split. */
async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
}
const open = (bytes: Buffer): Promise<Archive> =>
  readTar({ compression: 'gzip', size: bytes.length, open: () => chunksOf(bytes) });
const openFiles = (files: readonly TarFile[]) => open(writeTarGz(files));

/** Digests: comparing large buffers is slow. */
async function readAll(archive: Archive): Promise<Record<string, string>> {
  const contents: Record<string, string> = {};
  await archive.extract(new Set(archive.entries.map(({ path }) => path)), async ({ path }, content) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of content) chunks.push(Buffer.from(chunk));
    contents[path] = digestOf(Buffer.concat(chunks));
  });
  return contents;
}

const weights = randomBytes(700_001);

test.each([undefined, 'pax', 'gnu'] as const)('reads files, with names in %s headers', async (longPath) => {
  const path = longPath === undefined ? 'package/weights.gguf' : `package/${'long/'.repeat(60)}weights.gguf`;
  const file = { path, content: weights, longPath };
  const archive = await openFiles([
    { path: 'package/', content: '', type: '5' },
    file,
    { path: 'package/LICENSE', content: 'MIT' },
    { path: 'package/empty', content: '' },
  ]);
  expect(archive.entries).toEqual([
    { path, size: 700_001 },
    { path: 'package/LICENSE', size: 3 },
    { path: 'package/empty', size: 0 },
  ]);
  expect(await readAll(archive)).toEqual({
    [path]: digestOf(weights),
    'package/LICENSE': digestOf('MIT'),
    'package/empty': digestOf(''),
  });
});

test('a visitor may leave the content unread', async () => {
  const archive = await openFiles([
    { path: 'a', content: weights },
    { path: 'b', content: 'text' },
  ]);
  const visited: string[] = [];
  await archive.extract(new Set(['a', 'b']), async ({ path }, content) => {
    visited.push(path);
    for await (const _ of content) break;
  });
  expect(visited).toEqual(['a', 'b']);
});

test('links and devices are not files', async () => {
  const archive = await openFiles([
    { path: 'a.gguf', content: '', type: '2' },
    { path: 'b.gguf', content: '', type: '1' },
    { path: 'c.gguf', content: '', type: '3' },
  ]);
  expect(archive.entries).toEqual([]);
});

test.each(['../x', '/x', 'a/../../x', 'a\\x', 'C:x', 'a//x', './x'])('the path %j is refused', async (path) => {
  await expect(openFiles([{ path, content: 'x' }])).rejects.toThrow('is not allowed');
  await expect(openFiles([{ path, content: 'x', longPath: 'pax' }])).rejects.toThrow('is not allowed');
  await expect(openFiles([{ path, content: 'x', longPath: 'gnu' }])).rejects.toThrow('is not allowed');
});

test('two equal names are refused', async () => {
  const file = { path: 'x', content: 'x' };
  await expect(openFiles([file, file])).rejects.toThrow('two files have the name "x"');
});

test('an archive that expands too much is refused', async () => {
  const content = Buffer.alloc(archiveLimits.slack * 4);
  await expect(openFiles([{ path: 'bomb', content }])).rejects.toThrow('expands more than 100 times');
});

test('a large extended header is refused before it is read', async () => {
  const files = [{ path: 'x', content: '', type: 'x', declaredSize: archiveLimits.extendedHeaderBytes + 1 }];
  await expect(openFiles(files)).rejects.toThrow('extended header is too large');
});

test.each([
  '0 path=x\n',
  '9999 path=x\n',
  '-5 path=x\n',
  'x',
  '7 pathx\n',
  paxRecord('size=-1'),
  paxRecord('size=1e3'),
])('the extended header %j is refused', async (content) => {
  await expect(openFiles([{ path: 'x', content, type: 'x' }])).rejects.toThrow('extended header is corrupt');
});

test('folders count as files', async () => {
  const folders = writeTar(Array.from({ length: 1000 }, () => ({ path: 'x/', content: '', type: '5' })));
  const headers = folders.subarray(0, 1000 * 512);
  const open = async function* (): AsyncGenerator<Buffer> {
    for (;;) yield headers;
  };
  await expect(readTar({ compression: 'none', size: Number.MAX_SAFE_INTEGER, open })).rejects.toThrow('too many files');
});

test('a size beyond the end is refused', async () => {
  await expect(openFiles([{ path: 'x', content: 'x', declaredSize: 100_000 }])).rejects.toThrow('incomplete');
});

test('a corrupt header and data that is not gzip are refused', async () => {
  const invalid = 'not a valid archive';
  await expect(open(gzipSync(Buffer.alloc(512, 'x')))).rejects.toThrow(`${invalid}: a header is corrupt`);
  await expect(open(Buffer.from('<html>'))).rejects.toThrow(invalid);
});

test('a truncated file is refused, wherever it ends', async () => {
  const bytes = writeTarGz([{ path: 'a', content: 'text' }]);
  for (let length = 1; length < bytes.length; length++)
    await expect(open(bytes.subarray(0, length))).rejects.toThrow('not a valid archive');
});

test('a wrong checksum of the compressed data is refused', async () => {
  const bytes = writeTarGz([{ path: 'a', content: 'text' }]);
  bytes.writeUInt32LE(0, bytes.length - 8);
  await expect(open(bytes)).rejects.toThrow('corrupt or incomplete');
});

test('a file that is not compressed is read too, and refused if it is cut', async () => {
  const bytes = writeTar([{ path: 'a/weights.gguf', content: weights }]);
  const plain = (part: Buffer) => readTar({ compression: 'none', size: part.length, open: () => chunksOf(part) });
  expect(await readAll(await plain(bytes))).toEqual({ 'a/weights.gguf': digestOf(weights) });
  await expect(plain(bytes.subarray(0, 700_000))).rejects.toThrow('incomplete');
});

describe('zstd', () => {
  const openZstd = (bytes: Buffer) => readTar({ compression: 'zstd', size: bytes.length, open: () => chunksOf(bytes) });

  test('files are read', async () => {
    const archive = await openZstd(writeZstd(writeTar([{ path: 'a.txt', content: 'Hello' }])));
    expect(archive.entries).toEqual([{ path: 'a.txt', size: 5 }]);
  });

  test('data that is damaged, cut, or expands too much is refused', async () => {
    const whole = writeZstd(writeTar([{ path: 'a.txt', content: randomBytes(100_000) }]));
    await expect(openZstd(whole.subarray(0, 50_000))).rejects.toThrow('incomplete');
    await expect(openZstd(Buffer.from('not zstd at all'))).rejects.toThrow('corrupt or incomplete');
    await expect(openZstd(zstdFrame([Buffer.alloc(4 * 2048, repeatedBlock('\0'))]))).rejects.toThrow(
      'expands more than',
    );
  });
});
