import { expect, test } from 'vitest';
import { createComputeHere } from '../../../../test/support/service-fixture.ts';
import { createDescribeCustomTool } from './custom-tool.ts';
import { createGrammars } from './hold-calls.ts';

const describe = createDescribeCustomTool(createGrammars(createComputeHere()));
const inputOf = (parameters: object) => (parameters as { properties: { input: object } }).properties.input;

test('without a grammar the input is any text', async () => {
  for (const format of [undefined, { type: 'text' }])
    expect(await describe(format, 'input')).toEqual({
      parameters: {
        type: 'object',
        properties: { input: { type: 'string' } },
        required: ['input'],
        additionalProperties: false,
      },
    });
});

test('a regular expression constrains the entire input', async () => {
  const { parameters, unheld } = await describe({ type: 'grammar', syntax: 'regex', definition: 'a|b' }, 'input');
  expect([inputOf(parameters), unheld]).toEqual([
    { type: 'string', description: expect.stringContaining('a|b'), pattern: '^(?:a|b)$' },
    undefined,
  ]);
});

test('a Lark grammar without recursion does, too', async () => {
  const definition = 'start: "x" NUMBER\n%import common.INT -> NUMBER';
  const { parameters, unheld } = await describe({ type: 'grammar', syntax: 'lark', definition }, 'input');
  expect([inputOf(parameters), unheld]).toMatchObject([{ pattern: '^(?:x(?:[0-9]+))$' }, undefined]);
});

test.each([
  ['regex', '(?<=a)b'],
  ['lark', 'start: "(" start ")" | "x"'],
  ['ebnf', 'start = "x"'],
])('what cannot become a pattern leaves the input free, and says why: %s %s', async (syntax, definition) => {
  const { parameters, unheld } = await describe({ type: 'grammar', syntax, definition }, 'input');
  expect(inputOf(parameters)).toEqual({ type: 'string', description: expect.stringContaining(definition) });
  expect(unheld).toMatch(/\S/);
});
