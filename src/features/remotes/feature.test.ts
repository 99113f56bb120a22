import { expect, test } from 'vitest';
import { formatChecks, formatRemotes } from './feature.ts';

test('the list has a line per endpoint and says where keys are', () => {
  const table = formatRemotes([
    {
      name: 'gpu',
      endpoints: [
        { url: 'http://a', kind: 'vllm', model: 'llama', key_file: '/keys/gpu' },
        { url: 'http://b', kind: 'auto', key_env: 'GPU_KEY' },
      ],
    },
  ]);
  expect(table.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['NAME', 'URL', 'KIND', 'MODEL', 'KEY'],
    ['gpu', 'http://a', 'vllm', 'llama', '/keys/gpu'],
    ['gpu', 'http://b', 'auto', '$GPU_KEY'],
    [''],
  ]);
});

test('a check says what an endpoint can do, or why it failed, without control characters', () => {
  const text = formatChecks([
    {
      url: 'http://a',
      milliseconds: 7,
      kind: 'vllm',
      version: '0.12',
      models: [{ id: 'llama', context_length: 2048 }, { id: 'other' }],
      features: ['chat', 'tools'],
    },
    { url: 'http://c', milliseconds: 8, kind: 'ollama', version: '0.12.6', hearth: '0.3.0' },
    { url: 'http://b', milliseconds: 9, error: 'no\u001b[31m' },
  ]);
  expect(text).toContain('vllm 0.12, 7 ms\n  models: llama (2048 tokens), other\n  can: chat, tools\n');
  expect(text).toContain('http://c\n  Hearth 0.3.0, 8 ms\n');
  expect(text).toContain('http://b\n  failed after 9 ms: no');
  expect(text).not.toContain('\u001b');
});
