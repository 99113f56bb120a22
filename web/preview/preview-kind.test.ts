import { expect, test } from 'vitest';
import { findPreviewKind } from './preview-kind.ts';

test.each([
  ['html', '<p>', 'html'],
  ['HTML', '<p>', 'html'],
  ['svg', '<svg>', 'svg'],
  ['xml', '\n<svg xmlns="…">', 'svg'],
  ['xml', '<feed>', undefined],
  ['mermaid', 'graph TD', 'mermaid'],
  ['python', 'print()', undefined],
  ['', '<p>', undefined],
  ['constructor', '', undefined],
])('%s: %s', (language, code, kind) => {
  expect(findPreviewKind(language, code)).toBe(kind);
});
