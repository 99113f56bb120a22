import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findCheckpointFiles } from './checkpoint-files.ts';
import { findSources } from './find-sources.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-checkpoint-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function put(...names: string[]): void {
  for (const name of names) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), name);
  }
}

test('weights, settings, tokenizer, model card and modules are found; other files are not', async () => {
  put('model-1.safetensors', 'model-2.safetensors', 'config.json', 'tokenizer.model', '1_Pooling/config.json');
  put('2_Dense/config.json', '2_Dense/model.safetensors', 'original/model.safetensors');
  put('README.md', 'pytorch_model.bin', 'onnx/model.onnx', '.git/config', 'original/consolidated.safetensors');
  expect(await findCheckpointFiles(folder)).toEqual([
    'README.md',
    'config.json',
    'model-1.safetensors',
    'model-2.safetensors',
    'tokenizer.model',
    '1_Pooling/config.json',
    '2_Dense/config.json',
    '2_Dense/model.safetensors',
  ]);
});

test('a folder without safetensors has no such files', async () => {
  put('config.json', 'tokenizer.json');
  expect(await findCheckpointFiles(folder)).toEqual([]);
});

test('FROM a folder keeps the names of the files', async () => {
  put('config.json', 'model.safetensors', '1_Pooling/config.json');
  const sources = await findSources('FROM', '.', folder);
  expect(sources.map((source) => source.kind === 'file' && source.name)).toEqual([
    'config.json',
    'model.safetensors',
    '1_Pooling/config.json',
  ]);
});

test('GGUF files in the same folder win', async () => {
  put('model.safetensors', 'config.json', 'weights.gguf');
  expect(await findSources('FROM', '.', folder)).toEqual([
    { kind: 'file', path: join(folder, 'weights.gguf'), bytes: 12 },
  ]);
});

test('an adapter is found by its name', async () => {
  put('adapter_config.json', 'adapter_model.safetensors');
  expect(await findCheckpointFiles(folder)).toEqual(['adapter_config.json', 'adapter_model.safetensors']);
});

test('an empty folder is an error that says what is expected', async () => {
  await expect(findSources('FROM', './', folder)).rejects.toThrow(
    'FROM ./: no such file, and no folder with GGUF or safetensors files',
  );
});

test('FROM with a pattern chooses files of a folder', async () => {
  put('m-00001-of-00002.gguf', 'm-00002-of-00002.gguf', 'other.gguf', 'mmproj.gguf', 'README.md');
  const names = async (pattern: string) =>
    (await findSources('FROM', pattern, folder)).map((source) => source.kind === 'file' && basename(source.path));
  expect(await names('./m-*.gguf')).toEqual(['m-00001-of-00002.gguf', 'm-00002-of-00002.gguf']);
  expect(await names('./m-0000?-of-*')).toEqual(['m-00001-of-00002.gguf', 'm-00002-of-00002.gguf']);
  expect(await names('*r*.gguf')).toEqual(['mmproj.gguf', 'other.gguf']);
  await expect(names('./absent-*.gguf')).rejects.toThrow('FROM ./absent-*.gguf: no such file');
  await expect(names('./absent/*.gguf')).rejects.toThrow('no such file');
});

test('a pattern of safetensors files brings the settings along', async () => {
  put('model-1.safetensors', 'model-2.safetensors', 'config.json', 'tokenizer.json', 'notes.txt');
  const sources = await findSources('FROM', './model-1*', folder);
  expect(sources.map((source) => source.kind === 'file' && source.name)).toEqual([
    'config.json',
    'model-1.safetensors',
    'tokenizer.json',
  ]);
});

test('a file whose name has a * is that file', async () => {
  put('a*.gguf', 'ab.gguf');
  expect(await findSources('FROM', './a*.gguf', folder)).toMatchObject([{ path: join(folder, 'a*.gguf') }]);
});
