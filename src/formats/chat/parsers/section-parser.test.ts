import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AnswerParts } from '../tool-calls/tool-call.ts';
import type { AnswerParser } from './answer-parser.ts';
import { readObjectCall } from './read-calls.ts';
import { SectionParser } from './section-parser.ts';

const open = (): AnswerParser =>
  new SectionParser({
    sections: {
      thinking: { kind: 'thinking', exits: { '</t>': 'content', '<call>': 'call' } },
      content: { kind: 'content', exits: { '<call>': 'call' } },
      call: { kind: 'call', exits: { '</call>': 'content' } },
    },
    start: { tag: '<t>', found: 'thinking', otherwise: 'content' },
    readCalls: readObjectCall,
  });

function read(pieces: readonly string[], isCut = false): AnswerParts {
  const parser = open();
  const parts = [...pieces.map((piece) => parser.push(piece)), parser.finish({ isCut })];
  return {
    thinking: parts.map(({ thinking }) => thinking).join(''),
    content: parts.map(({ content }) => content).join(''),
    calls: parts.flatMap(({ calls }) => calls),
  };
}

const empty = { thinking: '', content: '', calls: [] };
const call = '<call>{"name": "f", "arguments": {"x": 1}}</call>';
const one = { name: 'f', arguments: { x: 1 } };

test.each<[string, string, Partial<AnswerParts>]>([
  ['white space around tags is removed', '\n <t>\n a b \n</t>\n\nc d\n', { thinking: 'a b', content: 'c d' }],
  ['without the first tag the answer is content', ' \n a <t>b', { content: ' \n a <t>b' }],
  ['a call ends the thinking', `<t>a ${call}`, { thinking: 'a', calls: [one] }],
  ['text stays around calls', `a\n${call}\n${call}\n\nb`, { content: 'ab', calls: [one, one] }],
  ['what is not a call is content', 'a <call>{"name": 1}</call> b', { content: 'a <call>{"name": 1}</call> b' }],
  ['half a tag is content', 'a <ca', { content: 'a <ca' }],
  ['half a first tag is content', '<', { content: '<' }],
  ['a call without its end counts', call.replace('</call>', ''), { calls: [one] }],
  ['half a call is content', '<call>{"name":', { content: '<call>{"name":' }],
])('%s', (_, text, expected) => {
  expect(read([text])).toEqual({ ...empty, ...expected });
  expect(read([...text])).toEqual({ ...empty, ...expected });
});

test('an answer that was cut off loses the call that has begun', () => {
  expect(read(['a <call>{"name":'], true)).toEqual({ ...empty, content: 'a' });
});

test('the pieces do not matter', () => {
  const words = fc.array(fc.constantFrom('<t>', '</t>', '<call>', '</call>', '{"name": "f"}', '<', ' ', '\n', 'a'), {
    maxLength: 14,
  });
  fc.assert(
    fc.property(words, fc.array(fc.nat(60), { maxLength: 8 }), fc.boolean(), (parts, cuts, isCut) => {
      const text = parts.join('');
      const bounds = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length];
      const pieces = bounds.slice(1).map((end, index) => text.slice(bounds[index], end));
      expect(read(pieces, isCut)).toEqual(read([text], isCut));
    }),
  );
});

test('text is passed on at once, except what may be white space before a tag', () => {
  const parser = open();
  expect(parser.push('a b').content).toBe('a b');
  expect(parser.push(' \n<ca').content).toBe('');
  expect(parser.push('t>').content).toBe(' \n<cat>');
});
