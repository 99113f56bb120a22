import { expect, test } from 'vitest';
import { formatModelName, parseModelName } from '../../models/name.ts';
import { findCached, modelsIn } from './cached-model.ts';

const modelsOf = (names: readonly string[], id = 'org/repo-GGUF') =>
  modelsIn({
    program: 'huggingface',
    id,
    files: names.map((name) => ({ name, path: `/x/${name}`, bytes: 1, modifiedAt: 0 })),
  });
const tagsOf = (...names: string[]) => modelsOf(names).map(({ name }) => name?.tag);

test.each([
  ['Llama-3.2-1B-Instruct-Q4_K_M.gguf', 'Q4_K_M'],
  ['llama-3.2-1b-instruct-q4_k_m.gguf', 'Q4_K_M'],
  ['Qwen3-8B-UD-Q2_K_XL.gguf', 'UD-Q2_K_XL'],
  ['gemma.IQ4_XS.gguf', 'IQ4_XS'],
  ['model-BF16.gguf', 'BF16'],
  ['gpt-oss-20b-mxfp4.gguf', 'MXFP4'],
  ['Q8_0/model-Q8_0-00001-of-00001.gguf', 'Q8_0'],
  ['model.gguf', 'model'],
  ['Q4 of my model.gguf', 'Q4'],
])('%s has the tag %s', (file, tag) => {
  expect(tagsOf(file)).toEqual([tag]);
});

test('a name that is no tag has no model name', () => {
  expect(tagsOf('mein modell (1).gguf')).toEqual([undefined]);
  expect(modelsOf(['a-Q4_0.gguf'], 'a.b/c')[0]?.name).toBeUndefined();
});

test('the parts of a split model are one, in their order; an incomplete one is left out', () => {
  const parts = ['m-Q8_0-00002-of-00003.gguf', 'm-Q8_0-00003-of-00003.gguf', 'm-Q8_0-00001-of-00003.gguf'];
  expect(modelsOf(parts).map(({ weights }) => weights.map(({ name }) => name))).toEqual([parts.toSorted()]);
  expect(modelsOf(parts.slice(1))).toEqual([]);
});

test('a projector belongs to the models of its repository, the one in half precision first', () => {
  const models = modelsOf(['m-Q4_0.gguf', 'm-Q8_0.gguf', 'mmproj-F32.gguf', 'mmproj-model-f16.gguf', 'imatrix.gguf']);
  expect(models.map(({ projector }) => projector?.name)).toEqual(['mmproj-model-f16.gguf', 'mmproj-model-f16.gguf']);
});

test('two files of one quantization have different tags', () => {
  expect(tagsOf('a-Q4_0.gguf', 'b-Q4_0.gguf')).toEqual(['Q4_0', 'b-Q4_0']);
});

test('a model is found by quantization, by file name, or as the usual one', () => {
  const models = modelsOf(['m-Q4_K_M.gguf', 'm-Q8_0.gguf']);
  const find = (text: string) => {
    const name = findCached(models, parseModelName(text))?.name;
    return name && formatModelName(name);
  };
  expect(find('hf.co/ORG/repo-gguf:q8_0')).toBe('hf.co/org/repo-GGUF:Q8_0');
  expect(find('hf.co/org/repo-GGUF:m-Q8_0.gguf')).toBe('hf.co/org/repo-GGUF:Q8_0');
  expect(find('hf.co/org/repo-GGUF')).toBe('hf.co/org/repo-GGUF:Q4_K_M');
  expect(find('hf.co/org/repo-GGUF:Q6_K')).toBeUndefined();
  expect(find('hf.co/org/other:Q8_0')).toBeUndefined();
  const [only, ...two] = [modelsOf(['m-Q8_0.gguf']), modelsOf(['m-Q8_0.gguf', 'm-Q6_K.gguf'])];
  expect(findCached(only ?? [], parseModelName('hf.co/org/repo-GGUF'))?.name?.tag).toBe('Q8_0');
  expect(findCached(two[0] ?? [], parseModelName('hf.co/org/repo-GGUF'))).toBeUndefined();
});
