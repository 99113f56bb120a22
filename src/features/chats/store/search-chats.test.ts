import { expect, test } from 'vitest';
import { toSnippet } from './search-chats.ts';

test('a short text is shown whole, in one line', () => {
  expect(toSnippet('On  trees\n\nin a Garden.', 'garden')).toBe('On trees in a Garden.');
});

test('a long text is cut on both sides, and begins with a word if there is one', () => {
  const text = `${'before '.repeat(50)}the Apple of ${'after '.repeat(50)}`;
  const snippet = toSnippet(text, 'apple');
  expect(snippet).toMatch(/^…(before )+the Apple of (after ?)+.*…$/);
  expect(snippet.length).toBeLessThan(180);
  expect(toSnippet('x'.repeat(500), 'xx')).toMatch(/^x+…$/);
});

test('a place that lower case moves beyond the end is no error, and no half character is left', () => {
  expect(toSnippet('İİİİa', 'a')).toContain('a');
  expect(toSnippet(`${'😀'.repeat(200)}end${'😀'.repeat(200)}`, 'end')).not.toMatch(
    /[\uD800-\uDBFF](?![\uDC00-\uDFFF])/,
  );
});
