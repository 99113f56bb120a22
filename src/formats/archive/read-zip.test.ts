import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { writeZip, type ZipFile, type ZipOptions } from '../../../test/support/packages/write-zip.ts';
import { digestOf } from '../../base/digest.ts';
import { type Archive, archiveLimits } from './archive.ts';
import { readZip } from './read-zip.ts';

const open = (bytes: Buffer): Promise<Archive> =>
  readZip({ size: bytes.length, read: async (position, length) => bytes.subarray(position, position + length) });
const openFiles = (files: readonly ZipFile[], options?: ZipOptions) => open(writeZip(files, options));

/** Digests: comparing large buffers is slow. */
async function readAll(archive: Archive): Promise<Record<string, string>> {
  const contents: Record<string, string> = {};
  await archive.extract(new Set(archive.entries.map(({ path }) => path)), async ({ path }, content) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of content) chunks.push(chunk);
    contents[path] = digestOf(Buffer.concat(chunks));
  });
  return contents;
}

const weights = randomBytes(3_000_000);

test.each([
  ['deflated', {}, {}],
  ['stored', { stored: true }, {}],
  ['with 64-bit fields', {}, { zip64: true }],
  ['with a comment that looks like an end', {}, { comment: `PK\u0005\u0006${'\0'.repeat(30)}` }],
])('reads files: %s', async (_, file, options) => {
  const archive = await openFiles(
    [
      { path: 'a/weights.gguf', content: weights, ...file },
      { path: 'a/', content: '', mode: 0o040755 },
      { path: 'LICENSE', content: 'MIT', ...file },
    ],
    options,
  );
  expect(archive.entries).toEqual([
    { path: 'a/weights.gguf', size: 3_000_000 },
    { path: 'LICENSE', size: 3 },
  ]);
  expect(await readAll(archive)).toEqual({ 'a/weights.gguf': digestOf(weights), LICENSE: digestOf('MIT') });
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

test('symbolic links are not files', async () => {
  const { entries } = await openFiles([{ path: 'x.gguf', content: '/etc/passwd', mode: 0o120777 }]);
  expect(entries).toEqual([]);
});

test.each(['../x', '/x', 'a/../../x', 'a\\..\\x', 'C:x', 'a//x', './x', 'a\nb', 'a\0b'])(
  'the path %j is refused',
  async (path) => {
    await expect(openFiles([{ path, content: 'x' }])).rejects.toThrow('is not allowed');
  },
);

test('a name that is not UTF-8, a long name and two equal names are refused', async () => {
  const content = 'x';
  await expect(openFiles([{ path: Buffer.from([0xff]), content }])).rejects.toThrow('not UTF-8');
  await expect(openFiles([{ path: 'x'.repeat(2000), content }])).rejects.toThrow('too long');
  await expect(
    openFiles([
      { path: 'x', content },
      { path: 'x', content },
    ]),
  ).rejects.toThrow('two files have the name "x"');
});

describe('bombs', () => {
  test('a file that expands too much is refused before it is read', async () => {
    const content = Buffer.alloc(archiveLimits.slack * 4);
    await expect(openFiles([{ path: 'bomb', content }])).rejects.toThrow('expands more than 100 times');
  });

  test('files that share their data are refused', async () => {
    const files = [
      { path: 'a', content: weights },
      { path: 'b', content: weights, sharesDataOf: 0, localPath: 'a' },
    ];
    await expect(openFiles(files)).rejects.toThrow('overlap');
  });

  test.each([
    ['larger', 10],
    ['smaller', 5_000_000],
  ])('content that is %s than its declared size is refused', async (_, declaredSize) => {
    const archive = await openFiles([{ path: 'a', content: weights, declaredSize }]);
    await expect(readAll(archive)).rejects.toThrow('does not have the size');
  });

  test('more entries than the limit are refused without reading the directory', async () => {
    const bytes = writeZip([{ path: 'a', content: 'x' }], { zip64: true });
    bytes.writeBigUInt64LE(2n ** 40n, bytes.lastIndexOf('PK\u0006\u0006') + 32);
    await expect(open(bytes)).rejects.toThrow('too many files');
  });

  test('paths that are too long together are refused', async () => {
    const files = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ path: `${'a'.repeat(1000)}${index}`, content: '', stored: true }));
    expect((await openFiles(files(4000))).entries.length).toBe(4000);
    await expect(openFiles(files(4200))).rejects.toThrow('too many files');
  });
});

test('an encrypted file is refused', async () => {
  await expect(openFiles([{ path: 'a', content: 'x', flags: 1 }])).rejects.toThrow('encrypted');
});

test('a local header with another name is refused', async () => {
  const archive = await openFiles([{ path: 'a', content: 'x', localPath: 'b' }]);
  await expect(readAll(archive)).rejects.toThrow('is not where the directory says');
});

test('corrupt data is refused', async () => {
  const bytes = writeZip([{ path: 'a', content: 'some text '.repeat(1000) }]);
  bytes.fill(0xff, 40, 60);
  await expect(readAll(await open(bytes))).rejects.toThrow('"a"');
});

test('a truncated file is refused, wherever it ends', async () => {
  const bytes = writeZip([
    { path: 'a', content: 'text' },
    { path: 'b', content: 'more text' },
  ]);
  for (let length = 0; length < bytes.length; length++)
    await expect(open(bytes.subarray(0, length)).then(readAll)).rejects.toThrow('not a valid archive');
});

test('no change of one byte crashes the reader or makes it read forever', async () => {
  const original = writeZip([{ path: 'a', content: 'text' }], { zip64: true });
  for (let index = 0; index < original.length; index++) {
    const bytes = Buffer.from(original);
    bytes[index] = (bytes[index] as number) ^ 0xff;
    const outcome = await open(bytes)
      .then(readAll)
      .then(
        () => 'read',
        (error: Error) => error.message,
      );
    expect(outcome).toMatch(/^read$|not a valid archive/);
  }
});
