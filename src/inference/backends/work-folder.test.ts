import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hasPart, openWorkFolder } from './work-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-work-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

// Larger than any process id.
const dead = 4_194_305;
const own = (what: string): string => `.download-${process.pid}-${what}`;

test('leftovers of killed processes are removed, running downloads and installed backends are kept', async () => {
  const running = `.download-${process.ppid}-cuda-1.0.0`;
  for (const name of [running, `.download-${dead}-vulkan-1.0.0`, '.download-x', 'cuda-0.9.0'])
    mkdirSync(join(folder, name));
  await openWorkFolder(folder, 'cuda-1.0.0');
  expect(readdirSync(folder).toSorted()).toEqual([own('cuda-1.0.0'), running, 'cuda-0.9.0'].toSorted());
});

test('what a killed process has downloaded of the same backend is taken over', async () => {
  const left = join(folder, `.download-${dead}-cuda-1.0.0`);
  mkdirSync(left);
  writeFileSync(join(left, '1.0.0.package.part'), 'part');
  const work = await openWorkFolder(folder, 'cuda-1.0.0');
  expect(work).toBe(join(folder, own('cuda-1.0.0')));
  expect(readdirSync(work)).toEqual(['1.0.0.package.part']);
  expect(await hasPart(work)).toBe(true);
  expect(readdirSync(folder)).toEqual([own('cuda-1.0.0')]);
});

test('of two leftovers, one is taken over', async () => {
  for (const pid of [dead, dead + 1]) mkdirSync(join(folder, `.download-${pid}-cuda-1.0.0`, 'a'), { recursive: true });
  await openWorkFolder(folder, 'cuda-1.0.0');
  expect(readdirSync(folder)).toEqual([own('cuda-1.0.0')]);
});

test('a folder without a part cannot be continued', async () => {
  expect(await hasPart(await openWorkFolder(folder, 'cuda-1.0.0'))).toBe(false);
});
