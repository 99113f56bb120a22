import { expect, test } from 'vitest';
import { findLanguage, type HighlightNode, highlight } from './highlight.ts';

function textOf({ children }: HighlightNode): string {
  return children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');
}

function scopesOf({ scope, children }: HighlightNode): string[] {
  const inner = children.flatMap((child) => (typeof child === 'string' ? [] : scopesOf(child)));
  return scope === undefined ? inner : [scope, ...inner];
}

test('the tree has the whole text, with scopes', async () => {
  const code = 'const text = "<b>&amp;</b>"; // </script>\n';
  const tree = await highlight(code, 'javascript');
  expect(textOf(tree)).toBe(code);
  expect(scopesOf(tree)).toEqual(['keyword', 'string', 'comment']);
});

test.each([
  ['py', 'python'],
  ['TypeScript', 'typescript'],
  ['c++', 'cpp'],
  ['unknown', undefined],
  ['constructor', undefined],
  ['', undefined],
])('the language %s', (name, language) => {
  expect(findLanguage(name)).toBe(language);
});
