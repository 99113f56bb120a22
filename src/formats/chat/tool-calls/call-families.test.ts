// The families of models: each is recognized by its template, and the calls that the template writes are read again.

import { afterAll, describe, expect, test } from 'vitest';
import { callTemplates } from '../../../../test/support/call-templates.ts';
import { systemClock } from '../../../base/time/clock.ts';
import { createHarmonyParser } from '../harmony/harmony-parser.ts';
import { createJinjaRenderer } from '../jinja/jinja-renderer.ts';
import type { Message } from '../message.ts';
import { createJinjaPromptTemplate } from '../prompt-template.ts';
import { callFamilies, recognizeFamily } from './call-families.ts';
import type { CallSyntax } from './call-syntax.ts';
import { createToolCallParser } from './tool-call-parser.ts';

const renderer = createJinjaRenderer(systemClock);
afterAll(renderer.stop);

const tools = [
  {
    name: 'weather',
    description: '',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' }, exact: { type: 'boolean' } },
    },
  },
  { name: 'now', description: '' },
];
const calls = [
  { name: 'weather', arguments: { city: 'São Paulo, "SP"', days: 3, exact: true } },
  { name: 'weather', arguments: { city: '5' } },
];
const question: Message = { role: 'user', content: 'Q' };

test('Firefunction gets its tools and the date as texts', async () => {
  const source = "{{ 'functools[' }}{{ 'Use:\\n' + functions }}{{ '\\nToday is ' + datetime + '.' }}";
  const template = createJinjaPromptTemplate({ source, bosToken: '', eosToken: '' }, renderer);
  const prompt = await template.renderConversation({ messages: [question], tools: tools.slice(1) });
  expect(prompt).toMatch(/^functools\[Use:\n\[\n {4}\{\n {8}"type": "function",[\s\S]*\]\nToday is \d{4}-\d\d-\d\d\.$/);
  const given = { messages: [question], tools: [], variables: { datetime: 'Monday' } };
  expect(await template.renderConversation(given)).toContain('Today is Monday.');
});

test('every family has a template here', () => {
  expect(Object.keys(callTemplates).sort()).toEqual(callFamilies.map(({ name }) => name).sort());
});

describe.each(Object.entries(callTemplates))('%s', (name, source) => {
  const template = createJinjaPromptTemplate({ source, bosToken: '', eosToken: '' }, renderer);
  const called = template.callSyntax?.layout.between === undefined ? calls.slice(0, 1) : calls;
  const write = async (): Promise<string> => {
    const messages = [question, { role: 'assistant', content: '', toolCalls: called }, question];
    const prompt = await template.renderConversation({ messages, tools });
    return prompt.slice('[Q]'.length, -'[Q]'.length);
  };
  const parserOf = () => {
    if (template.parser !== undefined) return template.parser.open({ tools, think: false });
    if (template.hasChannels) return createHarmonyParser(tools.map((tool) => tool.name));
    return createToolCallParser({ syntax: template.callSyntax as CallSyntax, tools });
  };
  const read = (pieces: readonly string[]) => {
    const parser = parserOf();
    const outputs = [...pieces.map((piece) => parser.push(piece)), parser.finish({ isCut: false })];
    return {
      content: outputs.map(({ content }) => content).join(''),
      calls: outputs.flatMap((output) => output.calls),
    };
  };

  test('is recognized', () => {
    expect(recognizeFamily(source)?.name).toBe(name);
  });

  test('the calls that the template writes are read again, whole and in pieces', async () => {
    const written = await write();
    const expected = { content: '', calls: called };
    expect(read([written])).toEqual(expected);
    expect(read([...written])).toEqual(expected);
    for (let at = 1; at < written.length; at++)
      expect(read([written.slice(0, at), written.slice(at)])).toEqual(expected);
  });

  test('text before a call is content', async () => {
    // A call without a tag is one only at the start, and a message of gpt-oss has a channel.
    if (['llama3', 'llama4', 'llama4-python', 'gpt-oss', 'functionary-3.2'].includes(name)) return;
    expect(read([`So. ${await write()}`])).toEqual({ content: 'So.', calls: called });
  });
});
