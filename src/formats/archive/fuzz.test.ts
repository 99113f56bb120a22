// Reads many damaged archives, with `npm run fuzz` 30,000 of each kind. Each is read, with safe paths and a bounded size,
// or refused with a HearthError. `npm run fuzz` prints how many were read and how many were refused.

import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { writeTarGz } from '../../../test/support/packages/write-tar.ts';
import { writeZip } from '../../../test/support/packages/write-zip.ts';
import { thoroughly } from '../../../test/support/thorough.ts';
import { HearthError } from '../../base/errors.ts';
import { type Archive, archiveLimits } from './archive.ts';
import { readTar } from './read-tar.ts';
import { readZip } from './read-zip.ts';

vi.setConfig({ testTimeout: 600_000 });

const numRuns = thoroughly(30_000, 500);

const files = [
  { path: 'package/a.gguf', content: 'weights '.repeat(300) },
  { path: 'package/config.json', content: '{}' },
  { path: `package/${'long/'.repeat(30)}name`, content: 'x', longPath: 'pax' as const },
  { path: `package/${'far/'.repeat(40)}name`, content: 'y', longPath: 'gnu' as const },
  { path: 'package/empty', content: '' },
];
const tar = gunzipSync(writeTarGz(files));
const zips = [writeZip(files), writeZip(files, { zip64: true, comment: 'a comment' })];

const openZip = (bytes: Buffer): Promise<Archive> =>
  readZip({ size: bytes.length, read: async (position, length) => bytes.subarray(position, position + length) });
const openTar = (bytes: Buffer): Promise<Archive> =>
  readTar({
    compression: 'gzip',
    size: bytes.length,
    async *open() {
      yield bytes;
    },
  });

/** Some bytes get other values, or a run of them moves or is cut off. */
const damage = fc.record({
  changes: fc.array(fc.tuple(fc.nat(), fc.oneof(fc.constantFrom(0, 1, 0x7f, 0x80, 0xff), fc.nat(255))), {
    minLength: 1,
    maxLength: 6,
  }),
  moved: fc.option(fc.tuple(fc.nat(), fc.nat(), fc.nat(600)), { freq: 4 }),
  end: fc.option(fc.nat(), { freq: 6 }),
});

function damaged(original: Buffer, { changes, moved, end }: typeof damage extends fc.Arbitrary<infer T> ? T : never) {
  const bytes = Buffer.from(original);
  for (const [at, value] of changes) bytes[at % bytes.length] = value;
  if (moved !== null) bytes.copy(bytes, moved[0] % bytes.length, moved[1] % bytes.length, moved[1] + moved[2]);
  return end === null ? bytes : bytes.subarray(0, end % bytes.length);
}

/** Gives every header of a tar file a valid checksum again: otherwise nearly all damage ends there. */
function withChecksums(bytes: Buffer): Buffer {
  for (let at = 0; at + 512 <= bytes.length; at += 512) {
    if (bytes.toString('latin1', at + 257, at + 262) !== 'ustar') continue;
    bytes.fill(' ', at + 148, at + 156);
    const sum = bytes.subarray(at, at + 512).reduce((total, byte) => total + byte, 0);
    bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, at + 148);
  }
  return bytes;
}

async function outcomeOf(size: number, open: () => Promise<Archive>): Promise<'read' | 'refused'> {
  try {
    const archive = await open();
    const paths = archive.entries.map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    for (const path of paths) expect(path).not.toMatch(/^\/|(?:^|\/)\.{0,2}(?:\/|$)|[\\:\0]/);
    let total = 0;
    await archive.extract(new Set(paths), async (entry, content) => {
      let received = 0;
      for await (const chunk of content) received += chunk.length;
      expect(received).toBe(entry.size);
      total += received;
    });
    expect(total).toBeLessThanOrEqual(archiveLimits.slack + size * archiveLimits.ratio);
    return 'read';
  } catch (error) {
    if (error instanceof HearthError && error.message.includes('not a valid archive')) return 'refused';
    throw error;
  }
}

test.each<[string, (change: Parameters<typeof damaged>[1]) => [number, () => Promise<Archive>]]>([
  [
    'zip',
    (change) => {
      const bytes = damaged(zips[change.changes.length % 2] as Buffer, change);
      return [bytes.length, () => openZip(bytes)];
    },
  ],
  [
    'tar',
    (change) => {
      const bytes = gzipSync(withChecksums(damaged(tar, change)), { level: 1 });
      return [bytes.length, () => openTar(bytes)];
    },
  ],
  [
    'gzip',
    (change) => {
      const bytes = damaged(gzipSync(tar), change);
      return [bytes.length, () => openTar(bytes)];
    },
  ],
])('damaged %s files are read or refused', async (kind, make) => {
  const counts = { read: 0, refused: 0 };
  const property = fc.asyncProperty(damage, async (change) => {
    counts[await outcomeOf(...make(change))]++;
  });
  await fc.assert(property, { numRuns });
  // biome-ignore lint/suspicious/noConsole: the figures of `npm run fuzz`
  if (numRuns > 1000) console.log(`${kind}: ${counts.read} read, ${counts.refused} refused`);
  expect(counts.refused).toBeGreaterThan(numRuns / 4);
});
