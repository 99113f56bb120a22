import { describe, expect, test } from 'vitest';
import { parseGbnf } from '../../../../test/support/grammar/gbnf.ts';
import { unlimitedEffort } from '../../../base/effort.ts';
import type { Tool } from '../../../formats/chat/message.ts';
import { requiredCallGrammar } from '../compute/required-call.ts';
import { offeredTools, requiredCallOf } from './tool-choice.ts';

const tool = (name: string, parameters: unknown): Tool => ({ name, description: '', parameters });
const city = { type: 'object', properties: { city: { enum: ['Oslo', 'Rome'] } }, required: ['city'] };
const tools = [tool('weather', city), tool('time', { type: 'object', properties: {} })];
const hermes = { tag: '<tool_call>', nameKey: 'name', argumentsKey: 'arguments' };

describe('the tools in the prompt', () => {
  test('are all, none, or the one that must be called', () => {
    expect(offeredTools(tools, 'auto')).toBe(tools);
    expect(offeredTools(tools, 'required')).toBe(tools);
    expect(offeredTools(tools, 'none')).toEqual([]);
    expect(offeredTools(tools, { name: 'time' })).toEqual([tools[1]]);
    expect(() => offeredTools(tools, { name: 'nothing' })).toThrow('there is no tool "nothing"');
    expect(() => offeredTools([], 'required')).toThrow('there are no tools');
  });
});

function grammarOf(offered: readonly Tool[], syntax: typeof hermes): string {
  const call = requiredCallOf(offered, 'required', syntax);
  return call === undefined ? '' : requiredCallGrammar(call, unlimitedEffort);
}

describe('a required call', () => {
  const matches = (text: string, offered = tools, syntax: typeof hermes = hermes): boolean =>
    parseGbnf(grammarOf(offered, syntax)).matches(text);

  test('follows the tag and has a known name and valid arguments', () => {
    expect(matches('<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}')).toBe(true);
    expect(matches('<tool_call>\n{"name": "time", "arguments": {}}')).toBe(true);
    expect(matches('<tool_call>\n{"name": "weather", "arguments": {"city": "Bonn"}}')).toBe(false);
    expect(matches('<tool_call>\n{"name": "other", "arguments": {}}')).toBe(false);
    expect(matches('It is sunny.')).toBe(false);
  });

  test('has the keys of the model, and its tag if there is one', () => {
    const bare = { tag: '{', nameKey: 'name', argumentsKey: 'parameters' };
    expect(matches('{"name": "weather", "parameters": {"city": "Rome"}}', tools, bare)).toBe(true);
  });

  test('may have any arguments if the schema cannot become a grammar', () => {
    const odd = [tool('odd', { type: 'object', not: { required: ['a'] } })];
    expect(matches('<tool_call>\n{"name": "odd", "arguments": {"b": [1, 2]}}', odd)).toBe(true);
  });

  test('follows references in a schema, also next to a schema that cannot become a grammar', () => {
    const nested = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/X' } },
      required: ['a'],
      $defs: { X: { type: 'object', properties: { q: { enum: ['z'] } }, required: ['q'] } },
    };
    const odd = tool('odd', { type: 'object', not: { required: ['a'] } });
    const both = [odd, tool('nested', nested)];
    expect(matches('<tool_call>\n{"name": "nested", "arguments": {"a": {"q": "z"}}}', both)).toBe(true);
    expect(matches('<tool_call>\n{"name": "nested", "arguments": {"a": 32}}', both)).toBe(false);
    expect(matches('<tool_call>\n{"name": "odd", "arguments": {"a": 32}}', both)).toBe(true);
  });

  test('may have any arguments if the schema is too large to look at', () => {
    let deep: unknown = {};
    for (let level = 0; level < 100_000; level++) deep = { items: deep };
    const [large] = requiredCallOf([tool('odd', deep)], 'required', hermes)?.tools ?? [];
    expect(large).toEqual({ name: 'odd', parameters: { type: 'object' } });
  });

  test('is not required if the model decides', () => {
    expect(requiredCallOf(tools, 'auto', hermes)).toBeUndefined();
    expect(requiredCallOf(tools, 'none', hermes)).toBeUndefined();
  });
});
