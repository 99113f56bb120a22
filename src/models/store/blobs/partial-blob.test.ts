import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { digestOf, hexOf } from '../../../base/digest.ts';
import { addRange, type ByteRanges } from '../../../base/files/byte-ranges.ts';
import { systemClock } from '../../../base/time/clock.ts';
import { createStore, type PartialBlob, type Store } from '../store.ts';
import { verifyStore } from '../verify.ts';
import { parseJournal } from './partial-journal.ts';

const base = mkdtempSync(join(tmpdir(), 'hearth-partial-'));
afterAll(() => rmSync(base, { recursive: true }));

let root: string;
let store: Store;
beforeEach(() => {
  root = join(base, String(Math.random()));
  store = createStore(root);
});

const content = randomBytes(20_000_000);
const digest = digestOf(content);
const size = content.length;
const files = (): string[] => readdirSync(join(root, 'blobs')).sort();
const blobFile = `sha256-${hexOf(digest)}`;
const open = (): Promise<PartialBlob> => store.openPartial(digest, size);
const write = (partial: PartialBlob, start: number, end: number): Promise<void> =>
  partial.write([content.subarray(start, start + 1), content.subarray(start + 1, end)], start);
/** Simulates a killed process: nothing is closed, and only the journal's own updates remain. */
const abandon = async (partial: PartialBlob): Promise<void> => {
  const bytes = partial.ranges();
  await expect
    .poll(async () => (await createStore(root).partialBytes(digest, size)) > 0 || bytes.length === 0)
    .toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 50));
};

test('a download written in any order becomes the blob and leaves nothing else', async () => {
  const partial = await open();
  expect(partial.ranges()).toEqual([]);
  await write(partial, 12_000_000, size);
  await write(partial, 0, 5_000_000);
  expect(partial.ranges()).toEqual([
    { start: 0, end: 5_000_000 },
    { start: 12_000_000, end: size },
  ]);
  await expect(partial.complete()).rejects.toThrow('is not complete');
  await write(partial, 5_000_000, 12_000_000);
  await partial.complete();
  await partial.close();
  expect(files()).toEqual([blobFile]);
  expect(readFileSync(store.blobPath(digest)).equals(content)).toBe(true);
});

test('an empty blob can be completed', async () => {
  const partial = await store.openPartial(digestOf(''), 0);
  await partial.complete();
  expect(await store.hasBlob(digestOf(''))).toBe(true);
});

describe('resuming', () => {
  test('works after a close, in another process', async () => {
    const partial = await open();
    await write(partial, 0, 9_000_000);
    await partial.close();
    await partial.close();
    expect(await createStore(root).partialBytes(digest, size)).toBe(9_000_000);
    const resumed = await createStore(root).openPartial(digest, size);
    await write(resumed, 9_000_000, size);
    await resumed.complete();
    expect(files()).toEqual([blobFile]);
  });

  test('works without a close', async () => {
    const partial = await open();
    await write(partial, 3_000_000, 9_000_000);
    await abandon(partial);
    const resumed = await createStore(root).openPartial(digest, size);
    expect(resumed.ranges()).toEqual([{ start: 3_000_000, end: 9_000_000 }]);
    await resumed.close();
    await partial.close();
  });

  test('starts over for another size, without the data file, or if that is a link', async () => {
    const partial = await open();
    await write(partial, 0, 1000);
    await partial.close();
    expect(await store.partialBytes(digest, size + 1)).toBe(0);
    const outside = join(base, `outside-${Math.random()}`);
    writeFileSync(outside, content);
    rmSync(join(root, 'blobs', `${blobFile}-download`));
    symlinkSync(outside, join(root, 'blobs', `${blobFile}-download`));
    expect(await store.partialBytes(digest, size)).toBe(0);
    const restarted = await open();
    await restarted.write([Buffer.from('overwritten')], 0);
    await restarted.close();
    expect(readFileSync(outside).equals(content)).toBe(true);
  });

  test('ignores unflushed ranges after a reboot', () => {
    const journal = `${JSON.stringify({ version: 1, size: 100, boot: 'a', synced: [[0, 10]], written: [[0, 20]] })}\n30 40\n50 60\n70 8`;
    const ranges = (boot: string | undefined) => parseJournal(journal, { size: 100, boot });
    expect(ranges('a')).toEqual([
      { start: 0, end: 20 },
      { start: 30, end: 40 },
      { start: 50, end: 60 },
    ]);
    expect(ranges('b')).toEqual([{ start: 0, end: 10 }]);
    expect(ranges(undefined)).toEqual([{ start: 0, end: 10 }]);
  });

  test('a truncated journal never claims a range that was not written', () => {
    const pair = fc
      .tuple(fc.nat(90), fc.integer({ min: 1, max: 10 }))
      .map(([start, length]) => [start, start + length]);
    fc.assert(
      fc.property(
        fc.array(pair, { maxLength: 5 }),
        fc.array(pair, { maxLength: 5 }),
        fc.nat(300),
        (head, lines, cut) => {
          const text = `${JSON.stringify({ version: 1, size: 100, boot: 'a', synced: head, written: [] })}\n${lines.map(([start, end]) => `${start} ${end}\n`).join('')}`;
          const all = [...head, ...lines].map(([start = 0, end = 0]) => ({ start, end }));
          const written = all.reduce(addRange, [] as ByteRanges);
          for (const { start, end } of parseJournal(text.slice(0, cut), { size: 100, boot: 'a' }))
            expect(written.some((range) => range.start <= start && end <= range.end)).toBe(true);
        },
      ),
    );
  });

  test.each([
    '',
    '{',
    'null\n',
    '[]\n',
    '{"version":1,"size":100,"synced":7}\n1 2\nx\n',
    '{"version":2,"size":100,"synced":[[0,5]]}\n',
  ])('the invalid journal %j has no ranges', (text) => {
    expect(parseJournal(text, { size: 100, boot: undefined })).toEqual([]);
  });

  test.each([
    [-1, 5],
    [5, 5],
    [0, 101],
    [0.5, 2],
    ['0', 2],
  ])('the invalid range from %j to %j is ignored', (start, end) => {
    const text = `${JSON.stringify({ version: 1, size: 100, boot: null, synced: [[start, end]] })}\n`;
    expect(parseJournal(text, { size: 100, boot: undefined })).toEqual([]);
  });
});

test('one wrong byte removes the download; the error has both digests', async () => {
  const partial = await open();
  await write(partial, 0, 7);
  await partial.write([Buffer.from([(content[7] as number) ^ 1])], 7);
  await write(partial, 8, size);
  await expect(write(partial, 7, 8)).rejects.toThrow('were written before');
  await expect(partial.write([Buffer.from('x')], size)).rejects.toThrow('were written before');
  const message = new RegExp(
    `^digest mismatch, file must be downloaded again: want ${digest}, got sha256:[0-9a-f]{64}$`,
  );
  await expect(partial.complete()).rejects.toMatchObject({
    code: 'digest_mismatch',
    message: expect.stringMatching(message),
  });
  expect(files()).toEqual([]);
});

test('discard leaves nothing behind', async () => {
  const partial = await open();
  await write(partial, 0, 100);
  await partial.discard();
  await partial.close();
  expect(files()).toEqual([]);
});

test('recovery and garbage collection keep a download for seven days; verification ignores it', async () => {
  const clock = createFakeClock(Date.now());
  store = createStore(root, { clock });
  const partial = await store.openPartial(digest, size);
  await write(partial, 0, 1000);
  await partial.close();
  const left = [`${blobFile}-download`, `${blobFile}-download-journal`];
  await store.recover();
  await store.collectGarbage({ graceMs: 0 });
  expect(files()).toEqual(left);
  const findings: unknown[] = [];
  for await (const finding of verifyStore(root, { repair: true })) findings.push(finding);
  expect(findings).toEqual([]);
  expect(files()).toEqual(left);
  for (const name of left) utimesSync(join(root, 'blobs', name), new Date(), new Date(clock.now()));
  clock.advance(7 * 24 * 60 * 60 * 1000 + 1000);
  const release = store.holdBlobs([digest]);
  await store.collectGarbage();
  expect(files()).toEqual(left);
  release();
  await store.collectGarbage();
  expect(files()).toEqual([]);
});

test('a full disk gives a clear error, and the download is kept', async (context) => {
  mkdirSync(root, { recursive: true });
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', root]);
  if (status !== 0 && process.env['CI'] !== 'true') context.skip('mounting a small disk needs root');
  expect(status, 'mount a small disk').toBe(0);
  try {
    const partial = await store.openPartial(digest, size);
    await write(partial, 0, 1_000_000);
    await partial.close();
    const resumed = await store.openPartial(digest, size);
    const message = /^the disk of the model store is full. The incomplete download is kept/;
    await expect(write(resumed, 1_000_000, size)).rejects.toMatchObject({
      code: 'disk_full',
      message: expect.stringMatching(message),
    });
    await resumed.close();
    expect(await store.partialBytes(digest, size)).toBe(1_000_000);
    expect(await store.freeBytes()).toBeLessThan(4 * 2 ** 20);
    expect(existsSync(join(root, 'blobs', blobFile))).toBe(false);
  } finally {
    spawnSync('umount', [root]);
  }
});

test('with the system clock the journal records written ranges shortly after the write', async () => {
  store = createStore(root, { clock: systemClock });
  const partial = await open();
  await write(partial, 0, 4_000_000);
  await expect.poll(() => createStore(root).partialBytes(digest, size)).toBe(4_000_000);
  await partial.close();
});
