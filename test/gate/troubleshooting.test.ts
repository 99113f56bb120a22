// The messages that docs/troubleshooting.md explains are messages of this program.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '../support/repository.ts';

const sources = readdirSync(repository('src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  // An apostrophe may be escaped.
  .map((name) => readFileSync(join(repository('src'), name), 'utf8').replaceAll("\\'", "'"));

const messages = Array.from(
  readFileSync(repository('docs/troubleshooting.md'), 'utf8').matchAll(/^### `(.+)`$/gm),
  ([, message = '']) => message,
);

test('the page has messages', () => {
  expect(messages.length).toBeGreaterThan(30);
  expect(new Set(messages).size).toBe(messages.length);
});

test.each(messages)('%s', (message) => {
  const parts = message.split('…').map((part) => part.trim());
  const words = parts.filter((part) => /\w{3}/.test(part));
  expect(words).not.toEqual([]);
  expect(sources.some((text) => words.every((part) => text.includes(part)))).toBe(true);
});
