import { expect, test } from 'vitest';
import { toSentences } from './to-sentences.ts';

test('marks, addresses, code and tags are not read', () => {
  const text = `# Title

Some **bold** and \`inline\` text with a [link](https://example.com/a). And a second sentence.

- one
- two

\`\`\`js
const a = 1;
\`\`\`

<b>raw</b>

| a | b |
|---|---|
| 1 | 2 |

---`;
  expect(toSentences(text)).toEqual([
    'Title',
    'Some bold and inline text with a link.',
    'And a second sentence.',
    'one',
    'two',
    'Code.',
    'raw',
    'a, b',
    '1, 2',
  ]);
});

test('a long sentence is read in parts, without a word lost', () => {
  const words = Array.from({ length: 200 }, (_, index) => `word${index}`).join(' ');
  const parts = toSentences(words);
  expect(parts.every((part) => part.length <= 200)).toBe(true);
  expect(parts.join(' ')).toBe(words);
  expect(toSentences('x'.repeat(450))).toHaveLength(3);
});

test('nothing to say', () => {
  expect(toSentences('')).toEqual([]);
  expect(toSentences('---\n\n***')).toEqual([]);
});
