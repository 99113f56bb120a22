import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  metadataEntry,
  type PartToWrite,
  splitEntries,
  splitGguf,
  writePart as writePartBytes,
} from '../../../test/support/models/split-gguf.ts';
import { HearthError } from '../../base/errors.ts';
import { type MergeOptions, mergedGguf } from './merge-gguf.ts';
import { type Gguf, type GgufTensor, readGgufFile } from './read-gguf.ts';
import { type SplitInfo, splitInfoOf } from './split-info.ts';
import { tensorTypes } from './tensor-types.ts';

const emberPath = fileURLToPath(new URL('../../../models/ember-q4_k_m.gguf', import.meta.url));
const emberBytes = readFileSync(emberPath);
const folder = mkdtempSync(join(tmpdir(), 'hearth-merge-'));
afterAll(() => rmSync(folder, { recursive: true }));

let ember: Gguf;
/** Ember in three files, the first without tensors, like gguf-split --no-tensor-first-split. */
let split: readonly string[];
let fresh = 0;
const newPath = (): string => join(folder, `${fresh++}.gguf`);

beforeAll(async () => {
  ember = await readGgufFile(emberPath);
  const { tensors } = ember;
  split = splitEmber([[], tensors.slice(0, 30), tensors.slice(30)]);
});

const dataInEmber = ({ offset, bytes }: GgufTensor): Buffer => emberBytes.subarray(offset, offset + bytes);

function save(content: Buffer): string {
  const path = newPath();
  writeFileSync(path, content);
  return path;
}

const writePart = (part: Omit<PartToWrite, 'dataOf'> & Partial<PartToWrite>): string =>
  save(writePartBytes({ dataOf: dataInEmber, ...part }));

const splitEmber = (groups: readonly (readonly GgufTensor[])[]): string[] =>
  splitGguf(emberBytes, ember, groups).map(save);

async function merge(paths: readonly string[], target: string, options: MergeOptions = {}): Promise<void> {
  await writeFile(target, mergedGguf(paths, options));
}

async function expectEmber(path: string): Promise<void> {
  const merged = await readGgufFile(path);
  expect([...merged.metadata]).toEqual([...ember.metadata]);
  const claims = ({ tensors }: Gguf) => tensors.map(({ name, shape, type }) => ({ name, shape, type }));
  expect(claims(merged)).toEqual(claims(ember));
  const bytes = readFileSync(path);
  for (const [index, { offset, bytes: length, name }] of merged.tensors.entries()) {
    const original = dataInEmber(ember.tensors[index] as GgufTensor);
    expect(original.equals(bytes.subarray(offset, offset + length)), name).toBe(true);
  }
}

describe('a model in three files', () => {
  test('is equal to the output of gguf-split', async () => {
    const [first, second] = await Promise.all(split.map((path) => readGgufFile(path)));
    expect(first && splitInfoOf(first)).toEqual({ number: 0, count: 3, tensors: 110 });
    expect(first?.tensors).toHaveLength(0);
    expect(second?.metadata.size).toBe(3);
  });

  test.each([
    [0, 1, 2],
    [2, 0, 1],
    [1, 2, 0],
  ])('given as %d, %d, %d it becomes what it was, to the byte', async (...order) => {
    const target = newPath();
    const paths = order.map((number) => split[number] as string);
    await merge(paths, target);
    await expectEmber(target);
    expect(readFileSync(target).equals(emberBytes)).toBe(true);
  });

  test('is read in blocks of bounded size', async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of mergedGguf(split)) chunks.push(chunk);
    expect(Buffer.concat(chunks).equals(emberBytes)).toBe(true);
    expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThanOrEqual(2 ** 20);
  });

  test('reports progress', async () => {
    const seen: number[] = [];
    await merge(split, newPath(), {
      onProgress(done, total) {
        expect(total).toBe(emberBytes.length);
        seen.push(done);
      },
    });
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(seen.at(-1)).toBe(emberBytes.length);
  });

  test('stops when the signal aborts', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const onProgress = (done: number): void => void (done > 10_000_000 && controller.abort());
    await expect(merge(split, newPath(), { signal, onProgress })).rejects.toMatchObject({ code: 'cancelled' });
    await expect(merge(split, newPath(), { signal })).rejects.toMatchObject({ code: 'cancelled' });
  });
});

const i8 = tensorTypes.get(24) as GgufTensor['type'];
const tensor = (name: string, bytes: number): GgufTensor => ({ name, shape: [bytes], type: i8, offset: 0, bytes });

test('the merged file has the alignment of the first part', async () => {
  const dataOf = ({ name, bytes }: GgufTensor): Buffer => Buffer.alloc(bytes, name);
  const [first, second] = [0, 1].map((number) => splitEntries({ number, count: 2, tensors: 4 })) as [
    Buffer[],
    Buffer[],
  ];
  const ownAlignment = metadataEntry('general.alignment', 5, 256);
  const paths = [
    writePart({
      entries: [ownAlignment, ...first],
      tensors: [tensor('a', 1), tensor('b', 300)],
      alignment: 256,
      dataOf,
    }),
    writePart({ entries: second, tensors: [tensor('c', 33), tensor('d', 0)], dataOf }),
  ];
  const target = newPath();
  await merge(paths, target);
  const { tensors, layout, metadata } = await readGgufFile(target);
  expect([...metadata]).toEqual([['general.alignment', 256]]);
  expect(layout.alignment).toBe(256);
  const bytes = readFileSync(target);
  const texts = tensors.map(({ offset, bytes: length }) => bytes.toString('latin1', offset, offset + length));
  expect(texts).toEqual(['a', 'b'.repeat(300), 'c'.repeat(33), '']);
  expect(tensors.every(({ offset }) => offset % 256 === 0)).toBe(true);
});

describe('refused', () => {
  const pair = (keys: Partial<SplitInfo>[], tensors: GgufTensor[][] = [[tensor('a', 1)], [tensor('b', 1)]]): string[] =>
    tensors.map((own, number) =>
      writePart({
        entries: splitEntries({ number, count: 2, tensors: 2, ...keys[number] }),
        tensors: own,
        dataOf: ({ bytes }) => Buffer.alloc(bytes),
      }),
    );
  const cut = (): string[] => {
    const paths = pair([]);
    truncateSync(paths[1] as string, 100);
    return paths;
  };
  // Several tensors at the same offset.
  const overlapping = (): string[] => {
    const tensors = ['b', 'c'].map((name) => tensor(name, 32));
    const paths = pair([{ tensors: 3 }, { tensors: 3 }], [[tensor('a', 1)], tensors]);
    const bytes = readFileSync(paths[1] as string);
    const offsetOfC = bytes.lastIndexOf('c') + 1 + 4 + 8 + 4;
    expect(bytes.readBigUInt64LE(offsetOfC)).toBe(32n);
    bytes.writeBigUInt64LE(0n, offsetOfC);
    writeFileSync(paths[1] as string, bytes);
    return paths;
  };

  test.each<[string, () => readonly string[], string]>([
    ['no files', () => [], 'no files'],
    ['a model in one file', () => [emberPath], 'ember-q4_k_m.gguf: the model cannot be merged: it is not a part'],
    ['a missing part', () => split.slice(0, 2), 'part 3 of 3 of the model is missing'],
    ['a missing first part', () => split.slice(1), 'part 1 of 3 of the model is missing'],
    ['a duplicate part', () => [...split, split[1] as string], 'both part 2 of 3'],
    [
      'a duplicate part instead of another',
      () => [0, 1, 1].map((number) => split[number] as string),
      'both part 2 of 3',
    ],
    ['a different count', () => pair([{}, { count: 3 }]), 'not parts of the same model'],
    ['a different number of tensors', () => pair([{}, { tensors: 3 }]), 'not parts of the same model'],
    ['a number beyond the count', () => pair([{}, { number: 2 }]), 'split.no is 2'],
    ['a negative number of tensors', () => pair([{}, { tensors: -1 }]), 'split.tensors.count is -1'],
    ['too few tensors', () => pair([{ tensors: 3 }, { tensors: 3 }]), 'have 2 tensors in total, not 3'],
    ['too many tensors', () => pair([{ tensors: 1 }, { tensors: 1 }]), 'have 2 tensors in total, not 1'],
    ['a tensor in two parts', () => pair([], [[tensor('a', 1)], [tensor('a', 1)]]), 'tensor "a" is in two parts'],
    ['overlapping tensors', overlapping, 'tensor "c" of'],
    ['a truncated part', cut, 'not a usable GGUF file'],
    [
      'a part that is not a GGUF file',
      () => [...split.slice(0, 2), fileURLToPath(import.meta.url)],
      'starts with "impo"',
    ],
  ])('%s', async (_, pathsOf, message) => {
    const error = await merge(pathsOf(), newPath()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HearthError);
    expect(error).toMatchObject({ code: 'bad_request', message: expect.stringContaining(message) });
  });

  test('a part that becomes shorter while it is copied', async () => {
    const paths = splitEmber([ember.tensors.slice(0, 30), ember.tensors.slice(30)]);
    const merging = merge(paths, newPath(), {
      onProgress: (done) => void (done < 2 ** 20 && truncateSync(paths[1] as string, 100_000)),
    });
    await expect(merging).rejects.toThrow('became shorter');
  });
});
