// POST /v1/responses and the routes of stored responses: each test name states a rule of the API.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResponseEvent } from '../../src/server/dialects/openai/responses/response/events-schema.ts';
import type { ResponseBody } from '../../src/server/dialects/openai/responses/response/response-schema.ts';
import type { Body } from '../support/client.ts';
import { colors, drawPng } from '../support/models/draw.ts';
import { addEndlessModel } from '../support/models/endless-ember.ts';
import { postResponse, responseEventsOf } from '../support/openai.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { weatherQuestion, weatherTool } from '../support/weather-tool.ts';

let server: TestServer;
let url: string;
beforeAll(async () => {
  server = await startServer();
  url = server.url;
  await addEndlessModel(server.store, 'endless');
});
afterAll(() => server.stop());

const sky = { temperature: 0, input: 'Why is the sky blue?' };
const tool = { type: 'function', ...weatherTool.function };
const weather = { temperature: 0, input: [weatherQuestion], tools: [tool] };

async function answerTo(body: Body): Promise<ResponseBody> {
  const { status, text, body: response } = await postResponse(url, body);
  if (status !== 200) throw new Error(text);
  return response;
}
const eventsOf = async (body: Body): Promise<ResponseEvent[]> =>
  responseEventsOf((await postResponse(url, { ...body, stream: true })).text);
const get = async (path: string, method = 'GET') =>
  (await (await fetch(`${url}/v1/responses/${path}`, { method })).json()) as Partial<ResponseBody>;
const textOf = ({ output }: ResponseBody): string =>
  output.map((item) => (item.type === 'message' ? item.content.map(({ text }) => text).join('') : '')).join('');
const callsOf = ({ output }: ResponseBody) => output.filter(({ type }) => type.endsWith('_call'));
/** Consecutive deltas count once; fillers do not count. */
const orderOf = (events: readonly ResponseEvent[]): string[] =>
  events
    .map(({ type }) => type.replace(/^response\./, ''))
    .filter((type, index, all) => type !== 'keepalive' && type !== all[index - 1]);

describe('a response', () => {
  test('is one object', async () => {
    const { status, type, body } = await postResponse(url, sky);
    expect([status, type]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^resp_[0-9a-f]{32}$/),
      status: 'completed',
      error: null,
      output: [{ type: 'message', status: 'completed', content: [{ text: expect.stringMatching(/scatter/i) }] }],
    });
    const { input_tokens = 0, output_tokens = 0, total_tokens } = body.usage ?? {};
    expect([output_tokens > 5, total_tokens]).toEqual([true, input_tokens + output_tokens]);
  });

  test('streamed: the same object in events, in order', async () => {
    const whole = await answerTo(sky);
    const events = await eventsOf(sky);
    expect(orderOf(events)).toEqual([
      ...['created', 'in_progress', 'output_item.added', 'content_part.added', 'output_text.delta'],
      ...['output_text.done', 'content_part.done', 'output_item.done', 'completed'],
    ]);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
    const deltas = events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : ''));
    expect([deltas.filter((delta) => delta !== '').length > 3, deltas.join('')]).toEqual([true, textOf(whole)]);
    const last = events.at(-1);
    expect(last?.type === 'response.completed' ? textOf(last.response) : undefined).toBe(textOf(whole));
  });

  test('is incomplete after max_output_tokens', async () => {
    const response = await answerTo({ ...sky, max_output_tokens: 3 });
    expect(response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      usage: { output_tokens: 3 },
    });
    expect((await eventsOf({ ...sky, max_output_tokens: 3 })).at(-1)?.type).toBe('response.incomplete');
  });

  test('unknown fields are ignored, null counts as absent', async () => {
    const extra = {
      client_metadata: { a: 1 },
      stream_options: { include_obfuscation: false },
      tools: null,
      text: null,
    };
    const agent = { include: ['reasoning.encrypted_content'], instructions: null, previous_response_id: null };
    expect(textOf(await answerTo({ ...sky, ...extra, ...agent }))).toMatch(/scatter/i);
  });

  test('log probabilities', async () => {
    const [item] = (await answerTo({ ...sky, max_output_tokens: 3, top_logprobs: 2 })).output;
    const logprobs = item?.type === 'message' ? item.content[0]?.logprobs : [];
    expect(logprobs?.map(({ top_logprobs }) => top_logprobs.length)).toEqual([2, 2, 2]);
  });
});

describe('input', () => {
  test('instructions, developer messages and parts', async () => {
    const part = (text: string) => [{ type: 'input_text', text }];
    const input = [
      { role: 'user', content: part('My name is Anna.') },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Nice to meet you, Anna!' }] },
      { type: 'compaction', id: 'c' },
      { role: 'user', content: 'What is my name?' },
    ];
    expect(textOf(await answerTo({ temperature: 0, input }))).toContain('Anna');
    const count = async (body: object) =>
      (
        (await (
          await fetch(`${url}/v1/responses/input_tokens`, {
            method: 'POST',
            body: JSON.stringify({ model: 'ember', ...body }),
          })
        ).json()) as { input_tokens: number }
      ).input_tokens;
    const { usage } = await answerTo({ input: 'Hi.', instructions: 'Be brief.' });
    expect(await count({ input: 'Hi.', instructions: 'Be brief.' })).toBe(usage?.input_tokens);
    expect(
      await count({
        input: [
          { role: 'developer', content: 'Be brief.' },
          { role: 'user', content: 'Hi.' },
        ],
      }),
    ).toBe(usage?.input_tokens);
  });

  test('images in data URLs', async () => {
    const image = `data:image/png;base64,${drawPng({ shape: 'circle', color: colors.red }).toString('base64')}`;
    const content = [
      { type: 'input_text', text: 'Describe the image.' },
      { type: 'input_image', image_url: image, detail: 'auto' },
    ];
    const body = { model: 'ember-eyes', temperature: 0, input: [{ role: 'user', content }] };
    expect(textOf(await answerTo(body))).toMatch(/red circle/);
  });

  test('a prompt that is too long is refused, or truncated', async () => {
    const long = {
      input: [
        { role: 'user', content: 'word '.repeat(20_000) },
        { role: 'user', content: 'Hi.' },
      ],
    };
    const refused = await postResponse(url, long);
    expect([refused.status, refused.body.error]).toEqual([
      400,
      expect.objectContaining({ type: 'invalid_request_error', code: 'context_length_exceeded' }),
    ]);
    const failed = responseEventsOf((await postResponse(url, { ...long, stream: true })).text).at(-1);
    expect(failed).toMatchObject({ type: 'response.failed', response: { error: { code: 'context_length_exceeded' } } });
    expect((await answerTo({ ...long, truncation: 'auto', max_output_tokens: 3 })).usage?.output_tokens).toBe(3);
  });

  test('an unknown model is a 404', async () => {
    for (const stream of [true, false]) {
      const { status, body } = await postResponse(url, { ...sky, model: 'nobody', stream });
      expect([status, body.error?.code]).toEqual([404, 'model_not_found']);
    }
  });
});

describe('tools', () => {
  test('a round trip', async () => {
    const asked = await answerTo(weather);
    const [call] = callsOf(asked);
    expect(call).toMatchObject({ type: 'function_call', name: tool.name, call_id: expect.stringMatching(/^call_/) });
    expect(call?.type === 'function_call' ? JSON.parse(call.arguments) : {}).toMatchObject({ location: 'Paris' });
    const result = {
      type: 'function_call_output',
      call_id: call?.type === 'function_call' ? call.call_id : '',
      output: JSON.stringify({ temperature: 21, condition: 'sunny' }),
    };
    const repeated = await answerTo({ ...weather, input: [weatherQuestion, ...asked.output, result] });
    const continued = await answerTo({ ...weather, input: [result], previous_response_id: asked.id });
    expect([textOf(repeated), textOf(continued)]).toEqual([expect.stringMatching(/sunny/), textOf(repeated)]);
    expect(continued.usage?.input_tokens_details.cached_tokens).toBeGreaterThan(0);
  });

  test('the events of a call', async () => {
    const events = (await eventsOf(weather)).filter((event) => 'item_id' in event || 'item' in event);
    expect(orderOf(events).slice(-4)).toEqual([
      ...['output_item.added', 'function_call_arguments.delta', 'function_call_arguments.done', 'output_item.done'],
    ]);
  });

  test('a call of a function in a namespace has both names', async () => {
    const tools = [{ type: 'namespace', name: 'sensors', tools: [tool] }, { type: 'web_search' }];
    expect(callsOf(await answerTo({ ...weather, tools }))[0]).toMatchObject({ name: tool.name, namespace: 'sensors' });
  });

  test('tool_choice: none, a name, and allowed tools', async () => {
    expect(callsOf(await answerTo({ ...weather, tool_choice: 'none' }))).toEqual([]);
    const other = {
      ...tool,
      name: 'other',
      parameters: { type: 'object', properties: {}, additionalProperties: false },
    };
    const tools = [tool, other];
    const named = { ...weather, tools, tool_choice: { type: 'function', name: 'other' } };
    // Exactly one: a required call may otherwise be followed by others.
    expect(callsOf(await answerTo({ ...named, parallel_tool_calls: false }))).toMatchObject([{ name: 'other' }]);
    const allowed = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'other' }] };
    expect(callsOf(await answerTo({ ...weather, tools, tool_choice: allowed }))[0]).toMatchObject({ name: 'other' });
  });

  test.each([
    ['regex', '(red|blue)[0-9]{2}'],
    ['lark', 'start: COLOR DIGIT~2\nCOLOR: "red" | "blue"\n%import common.DIGIT'],
  ])('the grammar of a custom tool holds its input: %s', async (syntax, definition) => {
    const custom = { type: 'custom', name: 'paint', format: { type: 'grammar', syntax, definition } };
    const body = { input: 'Paint it.', tools: [custom], tool_choice: { type: 'custom', name: 'paint' } };
    const [call] = callsOf(await answerTo(body));
    expect(call).toMatchObject({ type: 'custom_tool_call', name: 'paint' });
    expect(call?.type === 'custom_tool_call' ? call.input : '').toMatch(/^(red|blue)[0-9]{2}$/);
  });
});

test('text.format: an answer by a schema', async () => {
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0, maximum: 150 } },
    required: ['name', 'age'],
    additionalProperties: false,
  };
  const input = 'Reply in JSON with keys name and age for Anna who is 31.';
  const format = { type: 'json_schema', name: 'person', schema, strict: true };
  const response = await answerTo({ temperature: 0, input, text: { format } });
  expect(JSON.parse(textOf(response))).toEqual({ name: 'Anna', age: 31 });
  expect(response.text.format).toEqual(format);
});

test('reasoning: an item before the message, as text or as a summary; effort none turns it off', async () => {
  const body = { model: 'ember-thinks', temperature: 0, input: 'What is 12 + 30?' };
  const typesOf = ({ output }: ResponseBody) => output.map(({ type }) => type);
  const raw = await answerTo(body);
  expect(typesOf(raw)).toEqual(['reasoning', 'message']);
  expect(raw.output[0]).toMatchObject({ summary: [], content: [{ text: expect.stringMatching(/\S/) }] });
  expect(raw.usage?.output_tokens_details.reasoning_tokens).toBeGreaterThan(0);
  const order = orderOf(await eventsOf({ ...body, reasoning: { summary: 'auto' } }));
  expect(order.slice(2, 8)).toEqual([
    ...['output_item.added', 'reasoning_summary_part.added', 'reasoning_summary_text.delta'],
    ...['reasoning_summary_text.done', 'reasoning_summary_part.done', 'output_item.done'],
  ]);
  expect(typesOf(await answerTo({ ...body, reasoning: { effort: 'none' } }))).toEqual(['message']);
});

describe('stored responses', () => {
  test('are read, repeated, listed and deleted', async () => {
    const response = await answerTo(sky);
    expect(await get(response.id)).toEqual(response);
    const text = await (await fetch(`${url}/v1/responses/${response.id}?stream=true&starting_after=1`)).text();
    const events = responseEventsOf(text);
    expect([events[0]?.sequence_number, events.at(-1)]).toEqual([2, expect.objectContaining({ response })]);
    expect(await get(`${response.id}/input_items`)).toMatchObject({
      object: 'list',
      data: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: sky.input }] }],
      has_more: false,
    });
    expect(await get(response.id, 'DELETE')).toMatchObject({ id: response.id, deleted: true });
    expect(await get(response.id)).toMatchObject({ error: { code: 'response_not_found' } });
    const { status, body } = await postResponse(url, { ...sky, previous_response_id: response.id });
    expect([status, body.error?.code]).toEqual([404, 'previous_response_not_found']);
  });

  test('in the background: queued, then generated without the client, or canceled', async () => {
    const { id, status } = await answerTo({ ...sky, background: true });
    expect(status).toBe('queued');
    const followed = responseEventsOf(await (await fetch(`${url}/v1/responses/${id}?stream=true`)).text());
    expect(orderOf(followed).slice(0, 3)).toEqual(['created', 'queued', 'in_progress']);
    expect(await get(id)).toMatchObject({ status: 'completed', output: [{ type: 'message' }] });

    const endless = await answerTo({ model: 'endless', input: 'Go on.', background: true });
    await expect.poll(async () => (await get(endless.id)).status).toBe('in_progress');
    expect(await get(`${endless.id}/cancel`, 'POST')).toMatchObject({ id: endless.id, status: 'cancelled' });
    const busy = async () => {
      const { models } = (await (await fetch(`${url}/api/ps`)).json()) as { models: { state: string }[] };
      return models.some(({ state }) => state === 'busy');
    };
    await expect.poll(busy).toBe(false);
  });
});
