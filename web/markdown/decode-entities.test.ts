import { expect, test } from 'vitest';
import { decodeEntities } from './decode-entities.ts';

test.each([
  ['a &amp; b &lt;c&gt;', 'a & b <c>'],
  ['&#8364; &#x20AC; &euro;', '€ € €'],
  ['&amp;lt;', '&lt;'],
  ['&unknown; & &; &constructor;', '&unknown; & &; &constructor;'],
  ['&#0; &#x110000;', '\ufffd \ufffd'],
])('%s', (text, decoded) => {
  expect(decodeEntities(text)).toBe(decoded);
});
