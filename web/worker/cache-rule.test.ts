import { expect, test } from 'vitest';
import { cacheRule } from './cache-rule.ts';

const origin = 'http://localhost:11434';

test.each([
  ['GET', '/', 'navigate', 'page'],
  ['GET', '/docs', 'navigate', 'none'],
  ['GET', '/page/main-1.js', 'cors', 'file'],
  ['GET', '/api/chats', 'cors', 'data'],
  ['GET', '/api/chats/a1', 'cors', 'data'],
  ['GET', '/api/chats?q=x', 'cors', 'none'],
  ['GET', '/api/tags', 'cors', 'data'],
  ['PUT', '/api/chats/a1', 'cors', 'none'],
  ['POST', '/api/chat', 'cors', 'none'],
  ['GET', '/metrics', 'cors', 'none'],
])('%s %s %s', (method, path, mode, rule) => {
  expect(cacheRule({ method, url: origin + path, mode }, origin)).toBe(rule);
});

test('other origins are left alone', () => {
  expect(cacheRule({ method: 'GET', url: 'https://example.com/page/x.js', mode: 'cors' }, origin)).toBe('none');
});
