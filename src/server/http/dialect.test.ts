import { expect, test } from 'vitest';
import { dialectTable as table } from '../compose/dialect-table.ts';
import { findDialect } from './dialect.ts';

test.each([
  ['/v1', 'OpenAI'],
  ['/v1/', 'OpenAI'],
  ['/v1?x=/v1/messages', 'OpenAI'],
  ['/v1/models/a/b', 'OpenAI'],
  ['/v1/messagesx', 'OpenAI'],
  ['/v1/messages', 'Anthropic'],
  ['/v1/messages?beta=true', 'Anthropic'],
  ['/v1/messages/batches', 'Anthropic'],
  ['/v2/chat', 'Cohere'],
  ['/v1x', 'Ollama'],
  ['/api/v1/models', 'Ollama'],
  ['/', 'Ollama'],
  ['', 'Ollama'],
  ['*', 'Ollama'],
  ['/constructor', 'Ollama'],
])('%s is answered in the %s dialect', (url, name) => {
  expect(findDialect(table, url).name).toBe(name);
});
