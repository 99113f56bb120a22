// The clients that people use, as they come from npm, against the real server.

import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { ChatOllama } from '@langchain/ollama';
import { Ollama } from 'ollama';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';
import { weatherQuestion, weatherTool } from '../support/weather-tool.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const person = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    age: { type: 'integer', minimum: 0, maximum: 150 },
    mood: { type: 'string', enum: ['happy', 'sad'] },
  },
  required: ['name', 'age', 'mood'],
} as const;
const sky = 'Why is the sky blue?';
const anna = 'Reply in JSON with keys name and age for Anna who is 31.';
const toolAnswer = '{"temperature": 21, "condition": "sunny"}';

describe('ollama', () => {
  const client = () => new Ollama({ host: server.url });
  const greedy = { model: 'ember', options: { temperature: 0 } };
  // Its types want a mutable tool.
  const tools = [structuredClone(weatherTool)] as never;

  test('chat', async () => {
    const { message, done, eval_count } = await client().chat({
      ...greedy,
      messages: [{ role: 'user', content: sky }],
    });
    expect(message.content).toMatch(/scatter/i);
    expect(done).toBe(true);
    expect(eval_count).toBeGreaterThan(5);
  });

  test('chat, streamed', async () => {
    const parts: string[] = [];
    const messages = [{ role: 'user', content: sky }];
    for await (const { message } of await client().chat({ ...greedy, messages, stream: true }))
      parts.push(message.content);
    expect(parts.length).toBeGreaterThan(2);
    expect(parts.join('')).toMatch(/scatter/i);
  });

  test('generate, streamed and not', async () => {
    const { response } = await client().generate({ ...greedy, prompt: sky });
    let streamed = '';
    for await (const part of await client().generate({ ...greedy, prompt: sky, stream: true }))
      streamed += part.response;
    expect(response).toMatch(/scatter/i);
    expect(streamed).toBe(response);
  });

  test('a tool call and the answer after it', async () => {
    const messages = [{ ...weatherQuestion }];
    const first = await client().chat({ ...greedy, messages, tools });
    const call = first.message.tool_calls?.[0];
    expect(call?.function).toMatchObject({ name: 'get_current_weather', arguments: { location: 'Paris' } });
    const second = await client().chat({
      ...greedy,
      messages: [...messages, first.message, { role: 'tool', content: toolAnswer, tool_name: 'get_current_weather' }],
      tools,
    });
    expect(second.message.content).toMatch(/sunny/);
  });

  test('a tool call, streamed', async () => {
    const calls: string[] = [];
    const messages = [{ ...weatherQuestion }];
    for await (const { message } of await client().chat({ ...greedy, messages, tools, stream: true }))
      for (const call of message.tool_calls ?? []) calls.push(call.function.name);
    expect(calls).toEqual(['get_current_weather']);
  });

  test('structured output', async () => {
    const messages = [{ role: 'user', content: anna }];
    const { message } = await client().chat({ ...greedy, messages, format: person });
    const value = JSON.parse(message.content);
    expect(value).toMatchObject({ name: 'Anna', age: 31 });
    expect(['happy', 'sad']).toContain(value.mood);
  });

  test('an error is thrown as one', async () => {
    await expect(client().chat({ model: 'nobody', messages: [{ role: 'user', content: sky }] })).rejects.toThrow(
      'not found',
    );
  });

  test('a stream can be aborted, and the server goes on', async () => {
    const stream = await client().chat({
      model: 'ember',
      messages: [{ role: 'user', content: 'Tell me a story.' }],
      stream: true,
    });
    const read = async (): Promise<void> => {
      for await (const _ of stream) stream.abort();
    };
    await expect(read()).rejects.toThrow(/abort/i);
    expect((await client().list()).models.map(({ name }) => name)).toContain('ember:latest');
  });
});

describe('@langchain/ollama', () => {
  const model = (options: object = {}) =>
    new ChatOllama({ baseUrl: server.url, model: 'ember', temperature: 0, ...options });

  test('invoke', async () => {
    const { content, usage_metadata } = await model().invoke(sky);
    expect(content).toMatch(/scatter/i);
    expect((usage_metadata as { output_tokens?: number } | undefined)?.output_tokens).toBeGreaterThan(5);
  });

  test('stream', async () => {
    let text = '';
    for await (const { content } of await model().stream(sky)) text += content;
    expect(text).toMatch(/scatter/i);
  });

  test('tools: a call, and the answer after it', async () => {
    const bound = model().bindTools([structuredClone(weatherTool)]);
    const question = new HumanMessage(weatherQuestion.content);
    const first = await bound.invoke([question]);
    const [call] = first.tool_calls ?? [];
    expect(call).toMatchObject({ name: 'get_current_weather', args: { location: 'Paris' } });
    const answer = new ToolMessage({ content: toolAnswer, tool_call_id: call?.id ?? '', name: 'get_current_weather' });
    expect((await bound.invoke([question, first, answer])).content).toMatch(/sunny/);
  });

  test('tools, streamed', async () => {
    const calls: string[] = [];
    const bound = model().bindTools([structuredClone(weatherTool)]);
    for await (const chunk of await bound.stream([new HumanMessage(weatherQuestion.content)]))
      for (const call of chunk.tool_calls ?? []) calls.push(call.name);
    expect(calls).toEqual(['get_current_weather']);
  });

  test('structured output', async () => {
    const structured = model().withStructuredOutput(structuredClone(person) as never, { name: 'person' });
    expect(await structured.invoke(anna)).toMatchObject({ name: 'Anna', age: 31 });
  });
});
