import { expect, test } from 'vitest';
import { parseModelName } from '../name.ts';
import { toRepository } from './registry-address.ts';

const defaultLibrary = 'registry.ollama.ai';
const place = (text: string, insecure = false, library = defaultLibrary) => {
  const { library: address, path } = toRepository(parseModelName(text), { defaultLibrary: library, insecure, text });
  return `${address.origin}/${path}${address.insecure ? ' insecure' : ''}`;
};

test.each([
  ['llama3', 'https://registry.ollama.ai/library/llama3'],
  ['ann/llama3:8b', 'https://registry.ollama.ai/ann/llama3'],
  ['hf.co/bartowski/Llama-3.2-1B-Instruct-GGUF:Q4_K_M', 'https://hf.co/bartowski/Llama-3.2-1B-Instruct-GGUF'],
  ['https://lib.example:5000/a/b', 'https://lib.example:5000/a/b'],
  ['lib.example:443/a/b', 'https://lib.example/a/b'],
])('%s is at %s', (text, expected) => {
  expect(place(text)).toBe(expected);
});

test('plain http only where it was asked for, or where the settings name such a library', () => {
  expect(() => place('http://lib.example/a/b')).toThrow('insecure protocol http');
  expect(place('http://lib.example/a/b', true)).toBe('http://lib.example/a/b insecure');
  expect(place('lib.example/a/b', true)).toBe('http://lib.example/a/b insecure');
  expect(place('https://lib.example/a/b', true)).toBe('https://lib.example/a/b insecure');
  expect(place('b', false, 'http://lib.example:5000')).toBe('http://lib.example:5000/library/b insecure');
  expect(place('b', false, 'lib.example:5000')).toBe('https://lib.example:5000/library/b');
  expect(() => place('other.example/a/b', false, 'http://lib.example')).not.toThrow();
  expect(place('other.example/a/b', false, 'http://lib.example')).toBe('https://other.example/a/b');
});

test.each(['a:b:c/x/y', 'lib.example:99999/x/y'])('%s is no address', (text) => {
  expect(() => place(text)).toThrow('invalid model name');
});
