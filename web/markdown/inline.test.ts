import { expect, test } from 'vitest';
import { isInlineImage, toSafeLink } from './inline.tsx';

test.each(['https://example.com/a?b=c#d', 'http://example.com/', 'mailto:anna@example.com'])(
  '%s is a link',
  (address) => {
    expect(toSafeLink(address)).toBe(address);
  },
);

test.each([
  'javascript:alert(1)',
  ' javascript:alert(1)',
  'java\nscript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'file:///etc/passwd',
  '/relative',
  '#anchor',
  '',
])('%j is not a link', (address) => {
  expect(toSafeLink(address)).toBeUndefined();
});

test('only images inside the answer are shown', () => {
  expect(isInlineImage('data:image/png;base64,AAAA')).toBe(true);
  for (const address of ['https://example.com/a.png', 'data:image/svg+xml;base64,AAAA', 'data:text/html,x', '/a.png'])
    expect(isInlineImage(address)).toBe(false);
});
