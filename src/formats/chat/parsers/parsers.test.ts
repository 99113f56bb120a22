// The parsers that model configs name. `readAnswer` also checks that the result does not depend on how an answer is cut.

import { describe, expect, test } from 'vitest';
import { readAnswer } from '../../../../test/support/read-answer.ts';
import type { Message, Tool } from '../message.ts';
import type { ToolCall } from '../tool-calls/tool-call.ts';

const tools: readonly Tool[] = ['weather', 'read', 'maps.find'].map((name) => ({
  name,
  description: '',
  parameters: {
    type: 'object',
    properties: {
      city: { type: 'string' },
      days: { type: 'integer' },
      exact: { type: 'boolean' },
      stops: { type: 'array' },
      area: { anyOf: [{ type: 'object' }, { type: 'null' }] },
    },
  },
}));

const rome: ToolCall = { name: 'weather', arguments: { city: 'Rome', days: 2 } };
const all: ToolCall = {
  name: 'maps.find',
  arguments: { city: 'a "b", {c}', days: -3, exact: true, stops: ['x', 'y'], area: { km: 1.5 } },
};
const answer: Message = { role: 'assistant', content: 'It is' };
const empty = { thinking: '', content: '', calls: [] };

describe.each(['gemma4', 'gemma4-no-thinking'])('%s', (parser) => {
  const call = '<|tool_call>call:weather{city:<|"|>Rome<|"|>,days:2}<tool_call|>';

  test('reads calls', () => {
    const other =
      '<|tool_call>call:maps.find{city:<|"|>a "b", {c}<|"|>,days:-3,exact:true,stops:[<|"|>x<|"|>,<|"|>y<|"|>],area:{km:1.5}}<tool_call|>';
    expect(readAnswer(parser, `Wait.\n${call} ${other}`)).toEqual({ ...empty, content: 'Wait.', calls: [rome, all] });
  });

  test('leaves out the tags after a call', () => {
    const text = `${call}<tool_call|> <|tool_response>\nDone. `;
    expect(readAnswer(parser, text)).toEqual({ ...empty, content: 'Done. ', calls: [rome] });
  });

  test('shows thinking only on request', () => {
    const text = '<|channel>thought\nhm <channel|>\nYes<|channel>more<channel|>!';
    const thinking = parser === 'gemma4' ? 'hmmore' : '';
    expect(readAnswer(parser, text, { think: true })).toEqual({ ...empty, thinking, content: 'Yes!' });
    expect(readAnswer(parser, text)).toEqual({ ...empty, content: 'Yes!' });
  });

  test('reads a call without its end, unless the answer was cut off', () => {
    const text = call.replace('<tool_call|>', '');
    expect(readAnswer(parser, text)).toEqual({ ...empty, calls: [rome] });
    expect(readAnswer(parser, text, { isCut: true })).toEqual(empty);
  });

  test.each([
    ['a text without its end', 'call:read{city:<|"|>a<|"|>,stops:[],area:<|"|>b}', { city: 'a', stops: [], area: 'b' }],
    ['a text without quotes', 'call:read{city:a, b\nand c,days:2', { city: 'a, b\nand c', days: 2 }],
    ['texts in other quotes', `call:read{"city":'a\\s'<|"|>,area:"b\\n, {"}`, { city: 'a\\s', area: 'b\n, {' }],
  ])('repairs %s', (_, text, args) => {
    expect(readAnswer(parser, `<|tool_call>${text}<tool_call|>`, { tools }).calls).toEqual([
      { name: 'read', arguments: args },
    ]);
  });

  test('keeps text that is not a call', () => {
    const text = 'a <|tool_call>call:read{city:<|"|>a,b:<|"|>c<|"|>}<tool_call|> b';
    expect(readAnswer(parser, text, { tools })).toEqual({ ...empty, content: text });
  });
});

test('gemma4 continues its thinking after a result', () => {
  const context = { think: true, lastMessage: { role: 'tool', content: '' } };
  expect(readAnswer('gemma4', 'thought\nhm<channel|>Yes', context)).toEqual({
    ...empty,
    thinking: 'thought\nhm',
    content: 'Yes',
  });
});

test('functiongemma keeps white space next to calls', () => {
  const call = '<start_function_call>call:weather{city:<escape>Rome<escape>,days:2}<end_function_call>';
  expect(readAnswer('functiongemma', ` a ${call}\n${call} b `)).toEqual({
    ...empty,
    content: ' a \n b ',
    calls: [rome, rome],
  });
});

describe.each(['lfm2', 'lfm2-thinking'])('%s', (parser) => {
  const call = "weather(city='Rome', days=2)";

  test('reads calls', () => {
    const other = `maps.find(city='a "b", {c}', days=-3, exact=True, stops=['x', "y"], area={'km': 1.5})`;
    const text = `Wait. <|tool_call_start|>[${call}, ${other}]<|tool_call_end|>\n<|tool_call_start|>${call}<|tool_call_end|>`;
    expect(readAnswer(parser, text)).toEqual({ ...empty, content: 'Wait.', calls: [rome, all, rome] });
  });

  test('keeps the backslashes of texts, and texts without quotes', () => {
    const text = `<|tool_call_start|>[read(city='a\\'b\\n', area=here)]<|tool_call_end|>`;
    expect(readAnswer(parser, text).calls).toEqual([{ name: 'read', arguments: { city: "a\\'b\\n", area: 'here' } }]);
  });

  test('reads calls without tags, if the answer is nothing else', () => {
    expect(readAnswer(parser, ` [${call}]\n`, { tools })).toEqual({ ...empty, calls: [rome] });
    expect(readAnswer(parser, call, { tools })).toEqual({ ...empty, calls: [rome] });
    for (const text of [`[${call}] is a call`, '[unknown(a=1)]', '[img-0] weather', 'weather is nice', ` ${call}, x`])
      expect(readAnswer(parser, text, { tools })).toEqual({ ...empty, content: text });
    expect(readAnswer(parser, call)).toEqual({ ...empty, content: call });
  });

  test('thinks only where the tag is first', () => {
    const text = '\n<think>\nhm\n</think>\n\nYes </think>';
    expect(readAnswer(parser, text)).toEqual({ ...empty, content: text });
    const read = { ...empty, thinking: 'hm', content: 'Yes </think>' };
    expect(readAnswer(parser, text, { think: true })).toEqual(parser === 'lfm2' ? { ...empty, content: text } : read);
    expect(readAnswer(parser, text, { think: true, lastMessage: answer }).content).toBe(text);
  });
});

describe.each(['laguna', 'poolside-v1'])('%s', (parser) => {
  const elements =
    '<arg_key>city</arg_key>\n<arg_value>Rome</arg_value>\n<arg_key>days</arg_key>\n<arg_value>2</arg_value>';
  const call = `<tool_call>weather\n${elements}\n</tool_call>`;
  const object = '{"name": "weather", "arguments": {"city": "Rome", "days": 2}}';

  test('reads calls as elements and as JSON', () => {
    const text = `Wait.\n${call}<tool_call>weather ${JSON.stringify(rome.arguments)}</tool_call>\n<tool_call>${object}</tool_call>`;
    expect(readAnswer(parser, text, { tools })).toEqual({ ...empty, content: 'Wait.', calls: [rome, rome, rome] });
  });

  test('reads calls of known tools between the tags of a user, and without tags', () => {
    const text = `a <user>weather\n${elements}</user>\nb\n${object} c`;
    expect(readAnswer(parser, text, { tools })).toEqual({ ...empty, content: 'ab\nc', calls: [rome, rome] });
    for (const other of [
      'a <user>hello</user> b',
      'See {"name": "other", "arguments": {}}',
      '{"x": {"name": 1}}',
      '<user>a',
    ])
      expect(readAnswer(parser, other, { tools })).toEqual({ ...empty, content: other });
    expect(readAnswer(parser, object)).toEqual({ ...empty, content: object });
  });

  test('knows other names of tools, and calls that are repeated', () => {
    const text = '<tool_call><tool_call>read_file {"city": "a"}\n<tool_call>read_file {"city": "a"}</tool_call>';
    expect(readAnswer(parser, text, { tools }).calls).toEqual([{ name: 'read', arguments: { city: 'a' } }]);
    expect(readAnswer(parser, '<tool_call>read_file</tool_call>').calls).toEqual([
      { name: 'read_file', arguments: {} },
    ]);
  });

  test('the prompt opens the thinking', () => {
    const text = '\nhm\n</think>\nYes\n';
    const read = { ...empty, thinking: 'hm', content: 'Yes' };
    expect(readAnswer(parser, text, { think: true })).toEqual(read);
    expect(readAnswer(parser, `<think>${text}`, { think: true })).toEqual(read);
    expect(readAnswer(parser, `<think>${text}`)).toEqual({ ...read, thinking: '' });
    expect(readAnswer(parser, '</think>\nYes')).toEqual({ ...empty, content: 'Yes' });
    expect(readAnswer(parser, `hm ${call}`, { think: true, tools })).toEqual({
      ...empty,
      thinking: 'hm',
      calls: [rome],
    });
  });

  test('only Laguna continues an answer', () => {
    const text = 'hm</think>Yes';
    const read = { ...empty, thinking: 'hm', content: 'Yes' };
    expect(readAnswer(parser, text, { think: true, lastMessage: answer })).toEqual(
      parser === 'laguna' ? { ...empty, content: text } : read,
    );
  });
});

describe.each(['nemotron-3-nano', 'nemotron-3.5-nano'])('%s', (parser) => {
  const call =
    '<tool_call>\n<function=weather>\n<parameter=city>\nRome\n</parameter>\n<parameter=days>\n2\n</parameter>\n</function>\n</tool_call>';

  test('the prompt opens the thinking', () => {
    const read = { thinking: 'hm', content: 'Yes', calls: [rome] };
    expect(readAnswer(parser, `hm\n</think>\nYes\n${call}\n`, { tools })).toEqual(read);
    expect(readAnswer(parser, `\n<think>\nhm ${call}\nYes`, { tools })).toEqual(read);
    expect(readAnswer(parser, `Yes ${call}`, { tools, think: false })).toEqual({ ...read, thinking: '' });
    expect(readAnswer(parser, 'so', { lastMessage: answer })).toEqual({ ...empty, content: 'so' });
  });
});

describe('cohere', () => {
  const list = (...calls: readonly string[]): string => `<|START_ACTION|>[\n  ${calls.join('\n')}\n]<|END_ACTION|>`;
  const call = '{"tool_call_id": "0", "tool_name": "weather", "parameters": {"city": "Rome", "days": 2}}';

  test('reads thinking, text and calls', () => {
    const text = `hm <|END_THINKING|>\n<|START_TEXT|> Yes <|END_TEXT|>${list(`${call},`, call)}<|END_OF_TURN_TOKEN|>`;
    expect(readAnswer('cohere', text)).toEqual({ thinking: 'hm', content: ' Yes ', calls: [rome, rome] });
  });

  test('reads the older tags, and text without tags', () => {
    expect(readAnswer('cohere', 'hm<|END_THINKING|><|START_RESPONSE|>Yes<|END_RESPONSE|>').content).toBe('Yes');
    expect(readAnswer('cohere', 'hm<|END_THINKING|>\nYes <|OTHER|><|END_OF_TURN_TOKEN|>').content).toBe(
      'Yes <|OTHER|>',
    );
  });

  test('starts where the prompt ends', () => {
    const text = '<|START_TEXT|>Yes<|END_TEXT|>';
    expect(readAnswer('cohere', text, { think: false })).toEqual({ ...empty, content: 'Yes' });
    expect(readAnswer('cohere', ' so<|END_TEXT|>', { lastMessage: answer })).toEqual({ ...empty, content: ' so' });
  });

  test('one call that is not valid does not hide the others', () => {
    const text = list('{"tool_name": "weather", "parameters": {"at": 15:30}}', call, call.replace('Rome', '{x}'));
    expect(readAnswer('cohere', text, { think: false }).calls).toEqual([
      rome,
      { ...rome, arguments: { city: '{x}', days: 2 } },
    ]);
    expect(readAnswer('cohere', list('!!'), { think: false }).calls).toEqual([]);
  });
});

describe('glimmer', () => {
  const block = (name: string, ...elements: readonly string[]): string =>
    `<atem:function_calls>\n<atem:invoke name="${name}">\n${elements.map((element) => `${element}\n`).join('')}</atem:invoke>\n</atem:function_calls>`;
  const parameter = (name: string, value: string): string => `<atem:parameter name="${name}">${value}</atem:parameter>`;
  const elements = [parameter('city', 'Rome'), parameter('days', '2')];
  const call = block('weather', ...elements);

  test('messages have recipients', () => {
    const text = ` to=self<|message|>hm<|eom|><|start|>assistant to=weather<|message|>${call}<|start|>assistant to=user<|message|> Yes<|eot|>`;
    expect(readAnswer('glimmer', text, { tools })).toEqual({ thinking: 'hm', content: ' Yes', calls: [rome] });
    expect(readAnswer('glimmer', text, { tools, think: false }).thinking).toBe('');
    expect(readAnswer('glimmer', text)).toEqual({ thinking: 'hm', content: `${call} Yes`, calls: [] });
  });

  test('values have the types of the schema', () => {
    const values = { city: 'a "b", {c}', days: '-3', exact: 'true', stops: '["x", "y"]', area: '{"km": 1.5}' };
    const written = Object.entries(values).map(([name, value]) => parameter(name, value));
    expect(readAnswer('glimmer', ` to=maps.find<|message|>${block('maps.find', ...written)}`, { tools }).calls).toEqual(
      [all],
    );
  });

  test('a value may contain tags of messages', () => {
    const value = '<|eot|> <|start|>assistant to=user<|message|> x';
    const text = ` to=read<|message|>${block('read', parameter('city', value))}<|eot|>`;
    expect(readAnswer('glimmer', text, { tools }).calls).toEqual([{ name: 'read', arguments: { city: value } }]);
  });

  test.each([
    ['a missing recipient', `<|message|>${call}<|eom|>`],
    ['another recipient', ` to=maps<|message|>\n${call}`],
    ['the name space of the tool', ` to=weather.weather<|message|>${call}<|eot|>`],
    ['a tag in the name', ` to=weather<|message|>${call.replace('weather', 'wea<|message|>ther')}`],
    ['a tag instead of the end of the name', `<|message|>${call.replace('weather">\n', 'weather<|message|>')}`],
  ])('reads a call with %s', (_, text) => {
    expect(readAnswer('glimmer', text, { tools })).toEqual({ ...empty, calls: [rome] });
  });

  test.each([
    ['text before it', `See:\n${call}`],
    ['text after it', `${call}\nDone.`],
    ['an unknown tool', call.replace('weather', 'other')],
    ['a broken element', call.replaceAll('</atem:parameter>', '')],
  ])('a call with %s is content', (_, body) => {
    expect(readAnswer('glimmer', ` to=user<|message|>${body}<|eot|>`, { tools })).toEqual({ ...empty, content: body });
  });

  test('half a header is text', () => {
    for (const body of ['Use <|start|> here', 'a <|start|>assistant to=other<|message|>b', 'a <|start|>assistant to='])
      expect(readAnswer('glimmer', ` to=user<|message|>${body}`, { tools })).toEqual({ ...empty, content: body });
    expect(readAnswer('glimmer', 'no header')).toEqual({ ...empty, content: 'no header' });
    const long = 'x'.repeat(700);
    expect(readAnswer('glimmer', long)).toEqual({ ...empty, content: long });
  });
});
