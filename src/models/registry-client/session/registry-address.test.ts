import { expect, test } from 'vitest';
import { parseModelName } from '../../name.ts';
import { toRepository } from './registry-address.ts';

const defaultRegistry = 'registry.ollama.ai';
const location = (text: string, insecure = false, registry = defaultRegistry) => {
  const { registry: address, path } = toRepository(parseModelName(text), { defaultRegistry: registry, insecure, text });
  return `${address.origin}/${path}${address.insecure ? ' insecure' : ''}`;
};

test.each([
  ['llama3', 'https://registry.ollama.ai/library/llama3'],
  ['ann/llama3:8b', 'https://registry.ollama.ai/ann/llama3'],
  ['hf.co/bartowski/Llama-3.2-1B-Instruct-GGUF:Q4_K_M', 'https://hf.co/bartowski/Llama-3.2-1B-Instruct-GGUF'],
  ['https://lib.example:5000/a/b', 'https://lib.example:5000/a/b'],
  ['docker.io/ai/smollm2:360M-Q4_K_M', 'https://registry-1.docker.io/ai/smollm2'],
  ['lib.example:443/a/b', 'https://lib.example/a/b'],
])('%s is at %s', (text, expected) => {
  expect(location(text)).toBe(expected);
});

test('plain http needs `insecure` or a default registry with http', () => {
  expect(() => location('http://lib.example/a/b')).toThrow('insecure protocol http');
  expect(location('http://lib.example/a/b', true)).toBe('http://lib.example/a/b insecure');
  expect(location('lib.example/a/b', true)).toBe('http://lib.example/a/b insecure');
  expect(location('https://lib.example/a/b', true)).toBe('https://lib.example/a/b insecure');
  expect(location('b', false, 'http://lib.example:5000')).toBe('http://lib.example:5000/library/b insecure');
  expect(location('b', false, 'lib.example:5000')).toBe('https://lib.example:5000/library/b');
  expect(() => location('other.example/a/b', false, 'http://lib.example')).not.toThrow();
  expect(location('other.example/a/b', false, 'http://lib.example')).toBe('https://other.example/a/b');
});

test.each(['a:b:c/x/y', 'lib.example:99999/x/y'])('%s is not an address', (text) => {
  expect(() => location(text)).toThrow('invalid model name');
});
