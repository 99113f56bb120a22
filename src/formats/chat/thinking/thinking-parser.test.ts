import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createThinkingParser } from './thinking-parser.ts';

const tags = { open: '<think>', close: '</think>' };

function parse(pieces: readonly string[], inside = false): { thinking: string; content: string } {
  const parser = createThinkingParser(tags, inside);
  const outputs = [...pieces.map(parser.push), parser.finish()];
  return {
    thinking: outputs.map(({ thinking }) => thinking).join(''),
    content: outputs.map(({ content }) => content).join(''),
  };
}

describe('output', () => {
  test.each([
    ['with thinking', '<think>\nHm.</think>\n\nYes.', { thinking: 'Hm.', content: 'Yes.' }],
    ['with blanks in front', ' \n<think>Hm.</think>Yes.', { thinking: 'Hm.', content: 'Yes.' }],
    ['without thinking', 'Yes. <think>not one</think>', { thinking: '', content: 'Yes. <think>not one</think>' }],
    ['with a similar tag', '<thing> Yes.', { thinking: '', content: '<thing> Yes.' }],
    ['with empty thinking', '<think>\n\n</think>\n\nYes.', { thinking: '', content: 'Yes.' }],
    ['with nothing but the closing tag', '</think>\nYes.', { thinking: '', content: 'Yes.' }],
    ['that is never closed', '<think>Hm. </thi', { thinking: 'Hm. </thi', content: '' }],
    ['that ends in its opening tag', '<thi', { thinking: '', content: '<thi' }],
    ['without content', '<think>Hm.</think>', { thinking: 'Hm.', content: '' }],
    ['with tags in its content', '<think>a</think>b</think>c', { thinking: 'a', content: 'b</think>c' }],
    ['that is empty', '', { thinking: '', content: '' }],
  ])('%s', (_, text, expected) => {
    expect(parse([text])).toEqual(expected);
    expect(parse([...text])).toEqual(expected);
  });

  test('that starts inside thinking', () => {
    expect(parse(['\nHm.</think>', '\nYes.'], true)).toEqual({ thinking: 'Hm.', content: 'Yes.' });
  });
});

test('the result does not depend on the pieces', () => {
  const words = fc.array(fc.constantFrom('<think>', '</think>', '<', 'think>', ' ', '\n', 'a', '/'), { maxLength: 12 });
  fc.assert(
    fc.property(words, fc.boolean(), fc.array(fc.nat(40), { maxLength: 6 }), (parts, inside, cuts) => {
      const text = parts.join('');
      const bounds = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length];
      const pieces = bounds.slice(1).map((end, index) => text.slice(bounds[index], end));
      expect(parse(pieces, inside)).toEqual(parse([text], inside));
    }),
  );
});

test('decided text is not held back', () => {
  const parser = createThinkingParser(tags, false);
  expect(parser.push('<think>Hm, let me')).toEqual({ thinking: 'Hm, let me', content: '' });
  expect(parser.push(' see </th')).toEqual({ thinking: ' see ', content: '' });
  expect(parser.answering).toBe(false);
  expect(parser.push('ink>Yes')).toEqual({ thinking: '', content: 'Yes' });
  expect(parser.answering).toBe(true);
});
