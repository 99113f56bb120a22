// The grammars of calls against the parser of calls: every text that a grammar allows is read as calls of offered tools,
// whose arguments satisfy their schemas.

import { describe, expect, test } from 'vitest';
import { callTemplates } from '../../../../test/support/call-templates.ts';
import { parseGbnf } from '../../../../test/support/grammar/gbnf.ts';
import { seededRandom } from '../../../../test/support/grammar/gbnf-sampler.ts';
import { validatorOf } from '../../../../test/support/grammar/validator.ts';
import { thoroughly } from '../../../../test/support/thorough.ts';
import { createHarmonyParser } from '../harmony/harmony-parser.ts';
import type { Tool } from '../message.ts';
import { templateParser } from '../parsers/message-sections.ts';
import { callFamilies } from '../tool-calls/call-families.ts';
import { bareLayout, toCallSyntax } from '../tool-calls/call-layouts.ts';
import type { CallLayout } from '../tool-calls/call-syntax.ts';
import type { ToolCall, ToolOutput } from '../tool-calls/tool-call.ts';
import { createToolCallParser } from '../tool-calls/tool-call-parser.ts';
import { callsToGrammar } from './calls-to-grammar.ts';

const tool = (name: string, parameters?: unknown): Tool => ({
  name,
  description: '',
  parameters,
});

const weather = tool('weather', {
  type: 'object',
  properties: {
    city: { type: 'string' },
    unit: { enum: ['celsius', 'kelvin'] },
    days: { type: 'integer', minimum: 1, maximum: 14 },
    exact: { type: 'boolean' },
  },
  required: ['city', 'unit'],
});
const order = tool('order', {
  properties: {
    items: {
      type: 'array',
      minItems: 1,
      maxItems: 3,
      items: {
        type: 'object',
        properties: { id: { type: 'integer' }, size: { enum: ['S', 'L'] } },
        required: ['id', 'size'],
      },
    },
    note: { type: ['string', 'null'] },
    level: { enum: [1, 'high', null] },
  },
  required: ['items', 'level'],
});
const nested = tool('weather_later', {
  type: 'object',
  properties: { at: { $ref: '#/$defs/time' }, price: { type: 'number' } },
  required: ['at'],
  $defs: { time: { type: 'object', properties: { hour: { type: 'integer' } }, required: ['hour'] } },
});
const tools: readonly Tool[] = [weather, order, nested, tool('now'), tool('anything', { type: 'object' })];

/** Schemas that a form cannot express are not checked there: docs/grammar.md lists them. */
const unchecked: Readonly<Record<string, readonly string[]>> = {
  'bare-keys': ['weather_later'],
};

function parserOf(family: string, layout: CallLayout) {
  const own = templateParser(callTemplates[family] ?? '');
  if (own !== undefined) return own.open({ tools, think: false });
  if (layout.form.kind === 'harmony') return createHarmonyParser(tools.map(({ name }) => name));
  return createToolCallParser({ syntax: toCallSyntax(layout), tools });
}

function read(text: string, family: string, layout: CallLayout): ToolOutput {
  const parser = parserOf(family, layout);
  const outputs = [parser.push(text), parser.finish({ isCut: false })];
  return { content: outputs.map(({ content }) => content).join(''), calls: outputs.flatMap(({ calls }) => calls) };
}

function check({ name, arguments: args }: ToolCall, { form }: CallLayout): void {
  const parameters = tools.find((one) => one.name === name)?.parameters ?? { type: 'object', maxProperties: 0 };
  if (unchecked[form.kind]?.includes(name)) return;
  const validate = validatorOf(parameters);
  expect(validate(args), `${name} ${JSON.stringify(args)} ${JSON.stringify(validate.errors)}`).toBe(true);
}

const layouts = [
  ...callFamilies.map(({ name, layout }) => [name, layout] as const),
  ['objects without a tag', bareLayout('name', 'arguments')] as const,
];

describe.each(layouts)('%s', (name, layout) => {
  test.each([true, false])('from the start: %s', (fromStart) => {
    const grammar = parseGbnf(callsToGrammar({ tools, layout, parallel: true, fromStart }));
    const random = seededRandom(1);
    const called = new Set<string>();
    for (let round = 0; round < thoroughly(30, 12); round++) {
      const text = grammar.sample(random);
      const { content, calls } = read(text, name, layout);
      expect({ content, calls: calls.length > 0, text }).toEqual({ content: '', calls: true, text });
      for (const call of calls) {
        called.add(call.name);
        check(call, layout);
      }
    }
    expect(called.size).toBeGreaterThan(2);
  });

  test('one call only', () => {
    const grammar = parseGbnf(callsToGrammar({ tools, layout, parallel: false, fromStart: false }));
    const random = seededRandom(2);
    for (let round = 0; round < 10; round++) expect(read(grammar.sample(random), name, layout).calls).toHaveLength(1);
  });

  test.runIf(layout.triggers.length > 0)('the grammar begins with a trigger', () => {
    const grammar = parseGbnf(callsToGrammar({ tools, layout, parallel: true, fromStart: false }));
    const text = grammar.sample(seededRandom(3));
    const compact = (value: string): string => value.replace(/\s/g, '');
    expect(layout.triggers.some((trigger) => compact(text).startsWith(compact(trigger.text)))).toBe(true);
  });
});

describe('arguments', () => {
  const layout = callFamilies.find(({ name }) => name === 'hermes')?.layout as CallLayout;
  const matches = (offered: readonly Tool[], call: unknown): boolean =>
    parseGbnf(callsToGrammar({ tools: offered, layout, parallel: true, fromStart: false })).matches(
      `<tool_call>\n${JSON.stringify(call)}\n</tool_call>`,
    );

  test('satisfy the schema of their tool', () => {
    expect(matches(tools, { name: 'weather', arguments: { city: 'x', unit: 'kelvin' } })).toBe(true);
    expect(matches(tools, { name: 'weather', arguments: { city: 'x', unit: 'feet' } })).toBe(false);
    expect(matches(tools, { name: 'weather', arguments: { city: 'x' } })).toBe(false);
    expect(matches(tools, { name: 'other', arguments: {} })).toBe(false);
    expect(matches(tools, { name: 'now', arguments: {} })).toBe(true);
    expect(matches(tools, { name: 'now', arguments: { a: 1 } })).toBe(false);
    expect(matches(tools, { name: 'weather_later', arguments: { at: { hour: 1 } } })).toBe(true);
    expect(matches(tools, { name: 'weather_later', arguments: { at: 1 } })).toBe(false);
  });

  test('are any object if the schema cannot become a grammar', () => {
    const odd = tool('odd', { type: 'object', properties: { a: { type: 'string', pattern: '(a)\\1' } } });
    expect(matches([odd, weather], { name: 'odd', arguments: { b: [1] } })).toBe(true);
    expect(matches([odd, weather], { name: 'weather', arguments: { b: [1] } })).toBe(false);
  });

  test('are any object if all schemas together are too large; names are still enforced', () => {
    const values = Array.from({ length: 2000 }, (_, index) => `value ${index}`);
    const large = Array.from({ length: 20 }, (_, index) =>
      tool(`tool_${index}`, { type: 'object', properties: { a: { enum: values } }, required: ['a'] }),
    );
    expect(matches(large.slice(0, 2), { name: 'tool_1', arguments: { b: 1 } })).toBe(false);
    expect(matches(large, { name: 'tool_19', arguments: { b: 1 } })).toBe(true);
    expect(matches(large, { name: 'tool_20', arguments: { b: 1 } })).toBe(false);
  });

  test('a schema with wrong keywords or too many levels does not stop the request', () => {
    let deep: object = {};
    for (let level = 0; level < 5000; level++) deep = { properties: { a: deep } };
    for (const parameters of [deep, { properties: { a: 1 }, required: 5 }, { type: 'array' }, 'text', null, true])
      expect(matches([tool('odd', parameters)], { name: 'odd', arguments: { b: 1 } })).toBe(true);
  });
});
