import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AnswerParts } from '../tool-calls/tool-call.ts';
import { createHarmonyParser, harmonyTokens } from './harmony-parser.ts';

function parse(pieces: readonly string[]): AnswerParts {
  const parser = createHarmonyParser(['weather']);
  const outputs = [...pieces.map(parser.push), parser.finish()];
  return {
    thinking: outputs.map(({ thinking }) => thinking).join(''),
    content: outputs.map(({ content }) => content).join(''),
    calls: outputs.flatMap(({ calls }) => calls),
  };
}

const nothing = { thinking: '', content: '', calls: [] };
const analysis = '<|channel|>analysis<|message|>Hm.<|end|>';
const paris = { name: 'weather', arguments: { city: 'Paris' } };

describe('an answer', () => {
  test.each([
    ['without thinking', '<|channel|>final<|message|>Yes.', { content: 'Yes.' }],
    [
      'with thinking',
      `${analysis}<|start|>assistant<|channel|>final<|message|>Yes.<|return|>`,
      { thinking: 'Hm.', content: 'Yes.' },
    ],
    [
      'with a call in a channel',
      `${analysis}<|start|>assistant<|channel|>commentary to=functions.weather <|constrain|>json<|message|>{"city":"Paris"}<|call|>`,
      { thinking: 'Hm.', calls: [paris] },
    ],
    [
      'with a call in the role',
      ' to=functions.weather<|channel|>commentary json<|message|>{"city": "Paris"}',
      { calls: [paris] },
    ],
    [
      'with a sentence before the call',
      '<|channel|>commentary<|message|>Let me look.<|end|><|start|>assistant<|channel|>commentary to=functions.weather<|message|>{"city":"Paris"}',
      { content: 'Let me look.', calls: [paris] },
    ],
    [
      'with a call of an unknown tool',
      '<|channel|>commentary to=functions.other<|message|>{"a":1}',
      { content: '{"a":1}' },
    ],
    [
      'with arguments that are not JSON',
      '<|channel|>commentary to=functions.weather<|message|>{"a":',
      { content: '{"a":' },
    ],
    ['that continues a message', 'and so on.', { content: 'and so on.' }],
    ['that ends in a header', `${analysis}<|start|>assistant<|channel|>fi`, { thinking: 'Hm.' }],
    ['that ends in half a mark', '<|channel|>final<|message|>a <|', { content: 'a <|' }],
    ['with a mark at a wrong place', '<|channel|>final<|message|>a<|channel|>final<|message|>b', { content: 'ab' }],
  ])('%s', (_, text, expected) => {
    expect(parse([text])).toEqual({ ...nothing, ...expected });
    expect(parse([...text])).toEqual({ ...nothing, ...expected });
  });
});

test('the pieces do not matter, and marks never become content', () => {
  const word = fc.constantFrom(
    ...harmonyTokens,
    'analysis',
    'final',
    'assistant',
    ' to=functions.weather',
    '{}',
    'a',
    '<|',
    ' ',
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 14 }), fc.array(fc.nat(90), { maxLength: 8 }), (words, cuts) => {
      const text = words.join('');
      const bounds = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length];
      const pieces = bounds.slice(1).map((end, index) => text.slice(bounds[index], end));
      const whole = parse([text]);
      expect(parse(pieces)).toEqual(whole);
      for (const mark of harmonyTokens) expect(whole.content).not.toContain(mark);
    }),
  );
});

test('text is sent at once, except what may become a mark', () => {
  const parser = createHarmonyParser([]);
  expect(parser.push('<|channel|>final<|message|>Yes, it').content).toBe('Yes, it');
  expect(parser.push(' is <|').content).toBe(' is ');
  expect(parser.push('x').content).toBe('<|x');
});
