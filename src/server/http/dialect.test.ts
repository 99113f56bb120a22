import { expect, test } from 'vitest';
import { ollamaDialect } from '../dialects/ollama/dialect.ts';
import { openAiDialect } from '../dialects/openai/dialect.ts';
import { findDialect } from './dialect.ts';

const messagesDialect = { ...openAiDialect, name: 'Messages' };
const table = { fallback: ollamaDialect, prefixes: { '/v1': openAiDialect, '/v1/messages': messagesDialect } };

test.each([
  ['/v1', 'OpenAI'],
  ['/v1/', 'OpenAI'],
  ['/v1?x=/v1/messages', 'OpenAI'],
  ['/v1/models/a/b', 'OpenAI'],
  ['/v1/messagesx', 'OpenAI'],
  ['/v1/messages', 'Messages'],
  ['/v1/messages?beta=true', 'Messages'],
  ['/v1/messages/count_tokens', 'Messages'],
  ['/v1x', 'Ollama'],
  ['/api/v1/models', 'Ollama'],
  ['/', 'Ollama'],
  ['', 'Ollama'],
  ['*', 'Ollama'],
  ['/constructor', 'Ollama'],
])('%s is answered in the %s dialect', (url, name) => {
  expect(findDialect(table, url).name).toBe(name);
});
