import { expect, test } from 'vitest';
import type { TreeMessage } from './chat-document.ts';
import { fileNameOf, toMarkdown } from './to-markdown.ts';

test('a conversation becomes a text with a heading for each message', () => {
  const common = { parent: null, created_at: '' };
  const path: TreeMessage[] = [
    { ...common, id: 'q', role: 'user', content: 'Look.', images: ['x'], files: [{ name: 'a.txt', text: 'A\n' }] },
    { ...common, id: 'a', role: 'assistant', content: 'A **fox**.\n', model: 'ember:latest' },
  ];
  expect(toMarkdown({ title: 'Foxes', system: 'Be\nbrief.' }, path)).toBe(
    '# Foxes\n\n> Be\n> brief.\n\n## You\n\n(1 image)\n\nFile a.txt:\n```\nA\n```\n\nLook.\n\n## ember:latest\n\nA **fox**.\n',
  );
});

test.each([
  ['Where do apples grow?', 'Where-do-apples-grow.md'],
  ['../../etc/passwd', 'etc-passwd.md'],
  ['日本語', '日本語.md'],
  ['???', 'chat.md'],
])('%s: %s', (title, name) => {
  expect(fileNameOf(title, 'md')).toBe(name);
});
