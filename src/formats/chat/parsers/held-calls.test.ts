// The grammars that hold the calls of the parsers: every text that a grammar allows is read as calls of offered tools.

import { describe, expect, test } from 'vitest';
import { parseGbnf } from '../../../../test/support/grammar/gbnf.ts';
import { seededRandom } from '../../../../test/support/grammar/gbnf-sampler.ts';
import { validatorOf } from '../../../../test/support/grammar/validator.ts';
import { callsToGrammar } from '../call-grammar/calls-to-grammar.ts';
import type { Tool } from '../message.ts';
import type { CallLayout } from '../tool-calls/call-syntax.ts';
import { findParser } from './find-parser.ts';

const properties = {
  city: { type: 'string' },
  days: { type: 'integer', minimum: 1, maximum: 14 },
  exact: { type: 'boolean' },
  unit: { enum: ['celsius', 'kelvin'] },
  stops: { type: 'array', items: { type: 'integer' }, maxItems: 3 },
};
const tools: readonly Tool[] = [
  { name: 'weather', description: '', parameters: { type: 'object', properties, required: ['city', 'days'] } },
  { name: 'weather_later', description: '', parameters: { type: 'object', properties, required: ['stops'] } },
  { name: 'now', description: '', parameters: { type: 'object', properties: {} } },
];

const names = [
  'cogito',
  'cohere',
  'deepseek3',
  'functiongemma',
  'gemma4',
  'gemma4-no-thinking',
  'glimmer',
  'glm-4.7',
  'glm-ocr',
  'harmony',
  'laguna',
  'lfm2',
  'lfm2-thinking',
  'ministral',
  'nemotron-3-nano',
  'olmo3',
  'poolside-v1',
  'qwen3',
  'qwen3-coder',
  'qwen3-thinking',
  'qwen3-vl-thinking',
  'qwen3.5',
];

describe.each(names)('%s', (name) => {
  const family = findParser(name);
  const layout = family?.callSyntax?.layout as CallLayout;

  test.each([true, false])('calls are read as they are held, from the start: %s', (fromStart) => {
    const grammar = parseGbnf(callsToGrammar({ tools, layout, parallel: true, fromStart }));
    const random = seededRandom(1);
    const called = new Set<string>();
    for (let round = 0; round < 30; round++) {
      const text = grammar.sample(random);
      const parser = family?.open({ tools, think: false });
      const parts = [parser?.push(text), parser?.finish({ isCut: false })];
      const calls = parts.flatMap((part) => part?.calls ?? []);
      expect({ content: parts.map((part) => part?.content).join(''), calls: calls.length > 0, text }).toEqual({
        content: '',
        calls: true,
        text,
      });
      for (const call of calls) {
        called.add(call.name);
        const validate = validatorOf(tools.find((tool) => tool.name === call.name)?.parameters);
        expect(validate(call.arguments), `${text} ${JSON.stringify(validate.errors)}`).toBe(true);
      }
    }
    expect(called.size).toBe(tools.length);
  });

  test('a trigger begins a call', () => {
    const grammar = parseGbnf(callsToGrammar({ tools, layout, parallel: true, fromStart: false }));
    const compact = (text: string): string => text.replace(/\s/g, '');
    const text = compact(grammar.sample(seededRandom(3)));
    expect(layout.triggers.some((trigger) => text.startsWith(compact(trigger.text)))).toBe(true);
  });
});
