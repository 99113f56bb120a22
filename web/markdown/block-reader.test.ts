import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BlockReader } from './block-reader.ts';

const texts = (text: string) => new BlockReader().read(text).map(({ token }) => [token.type, token.raw.trim()]);

const sample = `# Title

A paragraph with \`code\` and $x$.

- one

- two
  \`\`\`js
  let a = 1;

  let b = 2;
  \`\`\`

| a | b |
|---|---|
| 1 | 2 |

$$
a

b
$$

> quote

    indented

    still

\`\`\`python
print(1)

print(2)
\`\`\`
The end.
`;

test('the blocks of a text', () => {
  expect(new BlockReader().read(sample).map(({ token }) => token.type)).toEqual([
    'heading',
    'paragraph',
    'list',
    'table',
    'math',
    'blockquote',
    'code',
    'code',
    'paragraph',
  ]);
});

test('a text that grows has the same blocks as the whole text, however it is cut', () => {
  const whole = texts(sample);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 200, maxLength: 200 }), (steps) => {
      const reader = new BlockReader();
      let length = 0;
      for (const step of steps) {
        length = Math.min(length + step, sample.length);
        reader.read(sample.slice(0, length));
      }
      expect(reader.read(sample).map(({ token }) => [token.type, token.raw.trim()])).toEqual(whole);
    }),
    { numRuns: 50 },
  );
});

test('blocks before the last one keep their identity while the text grows', () => {
  const reader = new BlockReader();
  const before = reader.read('one\n\ntwo\n\nthr');
  const after = reader.read('one\n\ntwo\n\nthree\n\nfour');
  expect(after[0]).toBe(before[0]);
  expect(after[1]).toBe(before[1]);
  expect(after[2]?.start).toBe(before[2]?.start);
  expect(after).toHaveLength(4);
});

test('another text begins again', () => {
  const reader = new BlockReader();
  reader.read('one\n\ntwo\n\nthree');
  expect(reader.read('other').map(({ token }) => token.raw)).toEqual(['other']);
});

test('a link can refer to a definition in an earlier block', () => {
  const reader = new BlockReader();
  const definition = '[home]: https://example.com\n\nfirst\n\n';
  reader.read(definition);
  reader.read(`${definition}second\n\n`);
  const [, , , last] = reader.read(`${definition}second\n\n[home]`);
  expect(JSON.stringify(last)).toContain('"href":"https://example.com"');
});

test('carriage returns do not move blocks', () => {
  expect(new BlockReader().read('one\r\n\r\ntwo').map(({ start }) => start)).toEqual([0, 5]);
});

test('a text with too many nested quotes is shown as it is', () => {
  const hostile = '> '.repeat(5000);
  expect(new BlockReader().read(hostile).length).toBeGreaterThan(0);
});
