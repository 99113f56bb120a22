import { expect, test } from 'vitest';
import { parseCalls, toCallShape } from './read-call.ts';

const shape = toCallShape({ tag: '', nameKey: 'tool_name', argumentsKey: 'input' }, new Set(['f']));
const call = { name: 'f', arguments: { x: 1 } };

test.each([
  '{"name": "f", "arguments": {"x": 1}}',
  '{"name": "f", "parameters": {"x": 1}}',
  '{"tool_name": "f", "input": {"x": 1}}',
  '{"type": "function", "name": "f", "parameters": {"x": 1}}',
  '{"type": "function", "function": "f", "parameters": {"x": 1}}',
  '{"function": {"name": "f", "arguments": {"x": 1}}}',
  '{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{\\"x\\": 1}"}}',
  '{"arguments": " {\\"x\\": 1}\\n", "name": "f"}',
  '{"tool_calls": [{"name": "f", "arguments": {"x": 1}}]}',
])('a call: %s', (text) => {
  expect(parseCalls(text, shape)).toEqual([call]);
});

test.each(['{"name": "f"}', '{"type": "function", "name": "f"}', '{"name": "f", "arguments": null}'])(
  'a call without arguments: %s',
  (text) => {
    expect(parseCalls(text, shape)).toEqual([{ name: 'f', arguments: {} }]);
  },
);

test.each([
  '{}',
  '[]',
  '{"name": "g", "arguments": {}}',
  '{"name": 1, "arguments": {}}',
  '{"name": "f", "age": 3}',
  '{"name": "f", "arguments": "x"}',
  '{"name": "f", "arguments": "[1]"}',
  '{"name": "f", "arguments": 1}',
  '{"name": "f", "arguments": {},}',
  '{"name": "f", "description": "d", "parameters": {}}',
  '{"__proto__": {"name": "f", "arguments": {}}}',
  '{"tool_calls": []}',
  '{"tool_calls": [{"name": "f", "arguments": {}}, 1]}',
])('not a call: %s', (text) => {
  expect(parseCalls(text, shape)).toBeUndefined();
});

test('arguments in a string have the same depth limit', () => {
  const deep = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  const callWith = (args: string): string => JSON.stringify({ name: 'f', arguments: args });
  expect(parseCalls(callWith(deep(100)), shape)).toHaveLength(1);
  expect(parseCalls(callWith(deep(100_000)), shape)).toBeUndefined();
});
