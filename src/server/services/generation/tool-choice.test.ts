import { describe, expect, test } from 'vitest';
import { parseGbnf } from '../../../../test/support/grammar/gbnf.ts';
import type { Tool } from '../../../formats/chat/message.ts';
import { callGrammar, offeredTools } from './tool-choice.ts';

const tool = (name: string, parameters: unknown): Tool => ({ name, description: '', parameters, wire: {} });
const city = { type: 'object', properties: { city: { enum: ['Oslo', 'Rome'] } }, required: ['city'] };
const tools = [tool('weather', city), tool('time', { type: 'object', properties: {} })];
const hermes = { tag: '<tool_call>', nameKey: 'name', argumentsKey: 'arguments' };

describe('the tools that a model is shown', () => {
  test('are all, none, or the one that it must call', () => {
    expect(offeredTools(tools, 'auto')).toBe(tools);
    expect(offeredTools(tools, 'required')).toBe(tools);
    expect(offeredTools(tools, 'none')).toEqual([]);
    expect(offeredTools(tools, { name: 'time' })).toEqual([tools[1]]);
    expect(() => offeredTools(tools, { name: 'nothing' })).toThrow('there is no tool "nothing"');
    expect(() => offeredTools([], 'required')).toThrow('there are no tools');
  });
});

describe('a call that must come', () => {
  const matches = (text: string, offered = tools, format: typeof hermes = hermes): boolean =>
    parseGbnf(callGrammar(offered, 'required', format) ?? '').matches(text);

  test('is one of a tool that is there, with arguments that its schema allows, behind the tag', () => {
    expect(matches('<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}')).toBe(true);
    expect(matches('<tool_call>\n{"name": "time", "arguments": {}}')).toBe(true);
    expect(matches('<tool_call>\n{"name": "weather", "arguments": {"city": "Bonn"}}')).toBe(false);
    expect(matches('<tool_call>\n{"name": "other", "arguments": {}}')).toBe(false);
    expect(matches('It is sunny.')).toBe(false);
  });

  test('has the keys of the model, and no tag where it has none', () => {
    const bare = { tag: '{', nameKey: 'name', argumentsKey: 'parameters' };
    expect(matches('{"name": "weather", "parameters": {"city": "Rome"}}', tools, bare)).toBe(true);
  });

  test('may have any arguments where no grammar can follow the schema', () => {
    const odd = [tool('odd', { type: 'object', not: { required: ['a'] } })];
    expect(matches('<tool_call>\n{"name": "odd", "arguments": {"b": [1, 2]}}', odd)).toBe(true);
  });

  test('follows references inside the schema of a tool, beside one whose schema cannot be followed', () => {
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

  test('is not asked for where the model decides', () => {
    expect(callGrammar(tools, 'auto', hermes)).toBeUndefined();
    expect(callGrammar(tools, 'none', hermes)).toBeUndefined();
  });
});
