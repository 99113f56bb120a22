import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseGpus, readDriverFiles, readNvidiaGpus } from './nvidia-gpus.ts';

const mebibyte = 2 ** 20;
const newFolder = () => mkdtempSync(join(tmpdir(), 'hearth-nvidia-'));

test('a line describes a GPU', () => {
  expect(parseGpus('NVIDIA H200, 580.65.06, 9.0, 143771, 143156\nOdd, Name, 550.1, 12.0, 10, 5\n')).toEqual([
    {
      name: 'NVIDIA H200',
      driver: '580.65.06',
      computeCapability: 9,
      totalBytes: 143771 * mebibyte,
      freeBytes: 143156 * mebibyte,
    },
    { name: 'Odd, Name', driver: '550.1', computeCapability: 12, totalBytes: 10 * mebibyte, freeBytes: 5 * mebibyte },
  ]);
});

test('values that the driver does not know are left out', () => {
  expect(parseGpus('NVIDIA GB10, 580.95, [N/A], [N/A], [Not Supported]')).toEqual([
    { name: 'NVIDIA GB10', driver: '580.95', computeCapability: undefined, totalBytes: 0, freeBytes: 0 },
  ]);
  expect(parseGpus('No devices were found\n')).toEqual([]);
});

test('the number of GPUs is limited', () => {
  expect(parseGpus('GPU, 580.1, 8.9, 1, 1\n'.repeat(1000))).toHaveLength(64);
});

describe('the files of the kernel module', () => {
  const write = (text: string): string => {
    const folder = newFolder();
    writeFileSync(join(folder, 'version'), text);
    return folder;
  };
  test.each([
    'NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27 07:14:28 UTC 2025\nGCC version: gcc',
    'NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build  (dvs-builder)\n',
  ])('state the version of the driver: %s', (text) => {
    expect(readDriverFiles(write(text))).toMatchObject([{ name: 'NVIDIA GPU', driver: '580.65.06' }]);
  });
  test('are absent on other machines', () => {
    expect(readDriverFiles(join(newFolder(), 'none'))).toEqual([]);
    expect(readDriverFiles(write('something else'))).toEqual([]);
  });
});

test.skipIf(process.platform === 'win32')('the program of the driver comes before its files', async () => {
  const bin = newFolder();
  const files = newFolder();
  writeFileSync(join(files, 'version'), 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun\n');
  const { signal } = new AbortController();
  const read = (path: string) => readNvidiaGpus({ environment: { PATH: path }, signal, driverFolder: files });
  expect(await read(bin)).toMatchObject([{ name: 'NVIDIA GPU' }]);
  writeFileSync(join(bin, 'nvidia-smi'), '#!/bin/sh\necho "Some GPU, 1.2, 8.9, 1, 1"\n');
  chmodSync(join(bin, 'nvidia-smi'), 0o755);
  expect(await read(`${bin}:/bin`)).toMatchObject([{ name: 'Some GPU', driver: '1.2' }]);
});
