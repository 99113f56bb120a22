import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createCodeCache } from './code-cache.ts';

const base = mkdtempSync(join(tmpdir(), 'hearth-code-'));
afterAll(() => rmSync(base, { recursive: true }));

const data = Buffer.from('compiled code');
let count = 0;

async function writtenCache(key = 'program 1') {
  const path = join(base, String(count++), 'cache');
  const cache = createCodeCache({ path, key });
  await cache.write(() => data);
  return { path, cache };
}

test('what was written is read, and only its owner can read it', async () => {
  const { path, cache } = await writtenCache();
  expect(cache.read()).toEqual(data);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
  await cache.write(() => Buffer.from('newer'));
  expect(cache.read()?.toString()).toBe('newer');
  expect(readdirSync(join(path, '..'))).toEqual(['cache']);
});

test('the code of another program counts as absent', async () => {
  const { path } = await writtenCache('program 1');
  expect(createCodeCache({ path, key: 'program 2' }).read()).toBeUndefined();
  // The key and the data are separate.
  expect(createCodeCache({ path, key: 'program 1\0c' }).read()).toBeUndefined();
});

test.each([
  ['empty', () => Buffer.alloc(0)],
  ['a digest without data', (file: Buffer) => file.subarray(0, 32)],
  ['cut off', (file: Buffer) => file.subarray(0, -1)],
  ['longer', (file: Buffer) => Buffer.concat([file, Buffer.from('x')])],
  ['changed', (file: Buffer) => Buffer.from(file.map((byte, index) => (index === 40 ? byte ^ 1 : byte)))],
])('a file that is %s counts as absent', async (_, change) => {
  const { path, cache } = await writtenCache();
  writeFileSync(path, change(readFileSync(path)));
  expect(cache.read()).toBeUndefined();
});

test.runIf(process.getuid)('a file that others can write counts as absent', async () => {
  const { path, cache } = await writtenCache();
  for (const mode of [0o620, 0o602]) {
    chmodSync(path, mode);
    expect(cache.read()).toBeUndefined();
  }
});

test.runIf(process.getuid)('a link counts as absent', async () => {
  const { path } = await writtenCache();
  symlinkSync(path, `${path}-link`);
  expect(createCodeCache({ path: `${path}-link`, key: 'program 1' }).read()).toBeUndefined();
});

test('a folder that cannot be created, or a name that is taken, is no error', async () => {
  await createCodeCache({ path: '/dev/null/cache', key: '' }).write(() => {
    throw new Error('there is no place for the data');
  });
  const { path, cache } = await writtenCache();
  const taken = `${path}-${process.pid}`;
  writeFileSync(taken, 'of another process with the same id');
  await cache.write(() => Buffer.from('newer'));
  expect(cache.read()).toEqual(data);
  expect(existsSync(taken)).toBe(false);
});
