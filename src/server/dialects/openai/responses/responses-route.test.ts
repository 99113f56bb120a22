import { expect, test } from 'vitest';
import { createFakeClock } from '../../../../../test/support/fake-clock.ts';
import { createDeferred } from '../../../../base/deferred.ts';
import { HearthError } from '../../../../base/errors.ts';
import { createLogger, silentLogger } from '../../../../base/logger.ts';
import type { AnswerEvent } from '../../../../inference/model/answer-event.ts';
import { dialectTable } from '../../../compose/dialect-table.ts';
import { RequestTable, type RequestTableOptions } from '../../../http/requests.ts';
import { createHttpServer } from '../../../http/server.ts';
import type { PassageSearch } from '../../../services/documents/passage-search.ts';
import type { Chat, ChatInput } from '../../../services/generation/measure-answer.ts';
import { createToolChat } from '../../../services/tools/tool-chat.ts';
import type { ToolServers } from '../../../services/tools/tool-server.ts';
import { responsesRoute } from './responses-route.ts';
import { createResponseStore } from './stored/response-store.ts';
import { storedRoutes } from './stored-routes.ts';

const started: AnswerEvent = {
  type: 'started',
  promptTokens: 3,
  cachedTokens: 1,
  droppedTokens: 0,
  droppedMessages: 0,
};
const done = {
  type: 'done',
  reason: 'stop',
  promptTokens: 3,
  cachedTokens: 1,
  generatedTokens: 4,
  thinkingTokens: 2,
  promptNanoseconds: 1,
  generateNanoseconds: 1,
  totalNanoseconds: 1,
  loadNanoseconds: 1,
} as const satisfies AnswerEvent;
const hello: AnswerEvent = { type: 'text', text: 'Hello.' };
const turn = () => new Promise((resolve) => setImmediate(resolve));
const turns = async (): Promise<void> => {
  for (let count = 0; count < 20; count++) await turn();
};

function createApp(
  chat: Chat,
  access: Pick<RequestTableOptions, 'identify' | 'watchKey'> = {},
  servers?: ToolServers,
  passages?: PassageSearch,
) {
  const clock = createFakeClock();
  const logs: string[] = [];
  const logger = createLogger({ clock, level: 'info', write: (line) => void logs.push(line) });
  const store = createResponseStore({ clock, logger: silentLogger, maxBytes: 2 ** 20, maxAgeMs: 60_000 });
  let ids = 0;
  const describeCustomTool = async () => ({ parameters: {}, unheld: 'is recursive' });
  const app = createHttpServer({
    routes: [
      responsesRoute({
        toolChat: createToolChat(chat, servers, passages),
        describeCustomTool,
        store,
        clock,
        logger,
        newId: () => String(++ids),
      }),
      ...storedRoutes({ store, logger }),
    ],
    dialects: dialectTable,
    requests: new RequestTable({ clock, logger, ...access }),
    maxBodyBytes: 2 ** 20,
    isAllowedOrigin: () => true,
    clock,
    logger,
  });
  const send = (method: 'GET' | 'POST' | 'DELETE', path: string) => app.inject({ method, url: `/v1/responses${path}` });
  const post = (body: object) =>
    app.inject({
      method: 'POST',
      url: '/v1/responses',
      payload: JSON.stringify({ model: 'ember', input: 'Hi.', ...body }),
    });
  return { clock, logs, post, send };
}

const answering = (...outputs: readonly AnswerEvent[]): Chat =>
  async function* () {
    yield* [started, ...outputs, done];
  };

const refusing = (error: HearthError): Chat =>
  // biome-ignore lint/correctness/useYield: it fails before it yields.
  async function* () {
    throw error;
  };

function eventsOf(payload: string): { type: string; sequence_number: number; [field: string]: unknown }[] {
  const frames = payload.split('\n\n').filter((frame) => frame !== '');
  return frames.map((frame) => {
    const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(frame) ?? [];
    const event = JSON.parse(data ?? 'null');
    expect(event.type).toBe(name);
    return event;
  });
}
const typesOf = (payload: string): string[] => eventsOf(payload).map(({ type }) => type.replace(/^response\./, ''));

test('every field of a response is there', async () => {
  const { post } = createApp(answering(hello));
  const body = (await post({ metadata: { a: 'b' }, prompt_cache_key: 'k' })).json();
  expect(body).toEqual({
    id: expect.stringMatching(/^resp_/),
    object: 'response',
    created_at: 1_893_456_000,
    completed_at: 1_893_456_000,
    status: 'completed',
    error: null,
    frequency_penalty: 0,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    max_tool_calls: null,
    model: 'ember',
    output: [
      {
        id: expect.stringMatching(/^msg_/),
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Hello.', annotations: [], logprobs: [] }],
        phase: 'final_answer',
      },
    ],
    parallel_tool_calls: true,
    presence_penalty: 0,
    previous_response_id: null,
    prompt: null,
    prompt_cache_key: 'k',
    reasoning: { effort: null, summary: null },
    safety_identifier: null,
    service_tier: 'default',
    store: true,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_logprobs: 0,
    top_p: 1,
    truncation: 'disabled',
    usage: {
      input_tokens: 3,
      input_tokens_details: { cached_tokens: 1 },
      output_tokens: 4,
      output_tokens_details: { reasoning_tokens: 2 },
      total_tokens: 7,
    },
    user: null,
    background: false,
    conversation: null,
    metadata: { a: 'b' },
  });
});

const tools = [
  { type: 'namespace', name: 'files', tools: [{ type: 'function', name: 'open' }] },
  { type: 'custom', name: 'patch' },
  { type: 'web_search' },
];
const everything: readonly AnswerEvent[] = [
  { type: 'thinking', text: 'Hm' },
  { type: 'thinking', text: '.' },
  hello,
  {
    type: 'tool-calls',
    calls: [
      { id: 'call_1', name: 'open', arguments: { path: 'a' } },
      { id: 'call_2', name: 'patch', arguments: { input: '+a' } },
    ],
  },
];

test('the order of events', async () => {
  const { post, logs } = createApp(answering(...everything));
  const { payload } = await post({ stream: true, tools });
  const events = eventsOf(payload);
  expect(typesOf(payload)).toEqual([
    ...['created', 'in_progress'],
    ...['output_item.added', 'content_part.added', 'reasoning_text.delta', 'reasoning_text.delta'],
    ...['reasoning_text.done', 'content_part.done', 'output_item.done'],
    ...['output_item.added', 'content_part.added', 'output_text.delta'],
    ...['output_text.done', 'content_part.done', 'output_item.done'],
    ...['output_item.added', 'function_call_arguments.delta', 'function_call_arguments.done', 'output_item.done'],
    ...['output_item.added', 'custom_tool_call_input.delta', 'custom_tool_call_input.done', 'output_item.done'],
    'completed',
  ]);
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
  const items = events.filter(({ type }) => type === 'response.output_item.done');
  expect(items.map(({ output_index }) => output_index)).toEqual([0, 1, 2, 3]);
  expect(items.map(({ item }) => item)).toEqual([
    {
      id: expect.stringMatching(/^rs_/),
      type: 'reasoning',
      status: 'completed',
      summary: [],
      content: [{ type: 'reasoning_text', text: 'Hm.' }],
    },
    expect.objectContaining({ type: 'message' }),
    {
      id: expect.stringMatching(/^fc_/),
      type: 'function_call',
      status: 'completed',
      call_id: 'call_1',
      name: 'open',
      namespace: 'files',
      arguments: '{"path":"a"}',
    },
    {
      id: expect.stringMatching(/^ctc_/),
      type: 'custom_tool_call',
      status: 'completed',
      call_id: 'call_2',
      name: 'patch',
      input: '+a',
    },
  ]);
  expect(events.at(-1)).toMatchObject({ response: { output: items.map(({ item }) => item) } });
  expect(logs.filter((line) => line.includes('web_search') || line.includes('is recursive'))).toHaveLength(2);
});

test('thinking is a summary if one is asked for', async () => {
  const { post } = createApp(answering({ type: 'thinking', text: 'Hm.' }));
  const { payload } = await post({ stream: true, reasoning: { summary: 'auto' } });
  expect(typesOf(payload).slice(2, -1)).toEqual([
    ...['output_item.added', 'reasoning_summary_part.added', 'reasoning_summary_text.delta'],
    ...['reasoning_summary_text.done', 'reasoning_summary_part.done', 'output_item.done'],
  ]);
  expect(eventsOf(payload).at(-2)).toMatchObject({ item: { summary: [{ type: 'summary_text', text: 'Hm.' }] } });
});

test('an answer that was cut off is incomplete, and so is its last item', async () => {
  const { post } = createApp(async function* () {
    yield* [started, hello, { ...done, reason: 'length' }];
  });
  expect((await post({})).json()).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
    output: [{ status: 'incomplete' }],
  });
});

test('an empty answer has an empty message', async () => {
  const { post } = createApp(answering());
  expect((await post({})).json().output).toMatchObject([{ type: 'message', content: [{ text: '' }] }]);
});

test('during a long silence the response is repeated, after the first item there are other events', async () => {
  const [begun, evaluated, continued] = [createDeferred<void>(), createDeferred<void>(), createDeferred<void>()];
  const { clock, post } = createApp(async function* () {
    yield started;
    begun.resolve();
    await evaluated.promise;
    yield hello;
    await continued.promise;
    yield done;
  });
  const response = post({ stream: true });
  await begun.promise;
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      await turns();
      clock.advance(1000);
    }
  };
  await pass(25);
  evaluated.resolve();
  await pass(15);
  continued.resolve();
  expect(typesOf((await response).payload)).toEqual([
    ...['created', 'in_progress', 'in_progress', 'in_progress'],
    ...['output_item.added', 'content_part.added', 'output_text.delta', 'keepalive'],
    ...['output_text.done', 'content_part.done', 'output_item.done', 'completed'],
  ]);
});

test('an error before the prompt is accepted has a status, a later one is the last event', async () => {
  const { post } = createApp(refusing(new HearthError('model_not_found', 'not here')));
  for (const stream of [true, false]) {
    const response = await post({ stream });
    expect([response.statusCode, response.json().error.code]).toEqual([404, 'model_not_found']);
  }
  const failing = createApp(async function* () {
    yield* [started, hello];
    throw new HearthError('runner_died', 'gone');
  });
  const whole = await failing.post({});
  expect([whole.statusCode, whole.json().error.message]).toEqual([500, 'gone']);
  const last = eventsOf((await failing.post({ stream: true })).payload).at(-1);
  expect(last).toMatchObject({
    type: 'response.failed',
    response: { status: 'failed', error: { code: 'server_error', message: 'gone' } },
  });
});

test('a prompt that is too long has a status, and is the last event of a stream', async () => {
  const { logs, post, send } = createApp(refusing(new HearthError('prompt_too_long', 'too long')));
  const whole = await post({});
  expect([whole.statusCode, whole.json().error.code]).toEqual([400, 'context_length_exceeded']);
  const streamed = await post({ stream: true });
  const [created, failed] = eventsOf(streamed.payload);
  expect([streamed.statusCode, typesOf(streamed.payload)]).toEqual([200, ['created', 'failed']]);
  expect(created).toMatchObject({ sequence_number: 0, response: { status: 'in_progress', error: null } });
  const response = { status: 'failed', error: { code: 'context_length_exceeded', message: 'too long' } };
  expect(failed).toMatchObject({ sequence_number: 1, response });
  const id = /"id":"(\w+)"/.exec(streamed.payload)?.[1];
  expect((await send('GET', `/${id}`)).json()).toMatchObject(response);
  expect(logs.filter((line) => line.includes('outcome=prompt_too_long'))).toHaveLength(2);
});

test('a stored response is continued, listed, repeated and deleted', async () => {
  const inputs: ChatInput[] = [];
  const { post, send } = createApp(async function* (input) {
    inputs.push(input);
    yield* [started, hello, done];
  });
  const first = (await post({ instructions: 'Be kind.' })).json();
  const second = (await post({ input: 'More.', previous_response_id: first.id })).json();
  expect(inputs[1]?.messages.map(({ role, content }) => [role, content])).toEqual([
    ['user', 'Hi.'],
    ['assistant', 'Hello.'],
    ['user', 'More.'],
  ]);
  expect((await send('GET', `/${second.id}`)).json()).toEqual(second);
  const page = (await send('GET', `/${second.id}/input_items?order=asc&limit=2`)).json();
  expect([page.data.map(({ role }: { role: string }) => role), page.has_more]).toEqual([['user', 'assistant'], true]);
  const rest = (await send('GET', `/${second.id}/input_items?order=asc&after=${page.last_id}`)).json();
  expect(rest).toMatchObject({ data: [{ content: [{ type: 'input_text', text: 'More.' }] }], has_more: false });

  const all = eventsOf((await send('GET', `/${first.id}?stream=true`)).payload);
  const some = eventsOf((await send('GET', `/${first.id}?stream=true&starting_after=4`)).payload);
  expect([all.at(-1)?.['response'], some]).toEqual([first, all.slice(5)]);

  const referring = {
    input: [{ id: first.output[0].id }, { role: 'user', content: 'So?' }],
  };
  expect((await post(referring)).statusCode).toBe(200);
  expect(inputs[2]?.messages.map(({ content }) => content)).toEqual(['Hello.', 'So?']);

  expect((await send('DELETE', `/${first.id}`)).json()).toEqual({ id: first.id, object: 'response', deleted: true });
  expect((await send('GET', `/${first.id}`)).json().error.code).toBe('response_not_found');
  const lost = await post({ previous_response_id: first.id });
  expect([lost.statusCode, lost.json().error.code]).toEqual([404, 'previous_response_not_found']);
  const unknown = await post({ input: [{ type: 'item_reference', id: 'msg_none' }] });
  expect([unknown.statusCode, unknown.json().error.code]).toEqual([404, 'response_not_found']);
});

test('with store: false nothing is stored', async () => {
  const { post, send } = createApp(answering(hello));
  const { id } = (await post({ store: false })).json();
  expect((await send('GET', `/${id}`)).statusCode).toBe(404);
  expect((await post({ store: false, background: true })).json().error.message).toContain('must be stored');
});

test('a response in the background is read while it is generated', async () => {
  const finished = createDeferred<void>();
  const { post, send } = createApp(async function* () {
    yield* [started, hello];
    await finished.promise;
    yield done;
  });
  const queued = (await post({ background: true })).json();
  expect(queued).toMatchObject({ status: 'queued', output: [], background: true });
  await turns();
  expect((await send('GET', `/${queued.id}`)).json().status).toBe('in_progress');
  const early = await post({ previous_response_id: queued.id });
  expect([early.statusCode, early.json().error.message]).toEqual([400, expect.stringContaining('not finished')]);
  const stream = send('GET', `/${queued.id}?stream=true`);
  await turns();
  finished.resolve();
  expect(typesOf((await stream).payload).slice(0, 3)).toEqual(['created', 'queued', 'in_progress']);
  expect((await send('GET', `/${queued.id}`)).json()).toMatchObject({
    status: 'completed',
    output: [{ type: 'message' }],
  });
});

test('a response in the background can be canceled, another one cannot', async () => {
  const { post, send } = createApp(async function* (_, signal) {
    yield* [started, hello];
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    throw new HearthError('cancelled', 'canceled');
  });
  const { id } = (await post({ background: true })).json();
  await turns();
  for (let times = 0; times < 2; times++)
    expect((await send('POST', `/${id}/cancel`)).json()).toMatchObject({ id, status: 'cancelled', error: null });
  const { post: ask, send: tell } = createApp(answering(hello));
  const other = await tell('POST', `/${(await ask({})).json().id}/cancel`);
  expect([other.statusCode, other.json().error.message]).toEqual([400, expect.stringContaining('background')]);
});

test('a response in the background fails when its key is revoked', async () => {
  let revoke: (error: HearthError) => void = () => {};
  const key = { id: 'a1', name: 'anna', scope: 'infer', group: 'a1', models: [], weight: 1 } as const;
  const { post, send } = createApp(
    async function* (_, signal) {
      yield* [started, hello];
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw new HearthError('cancelled', 'canceled');
    },
    {
      identify: () => key,
      watchKey(_, onRevoked) {
        revoke = onRevoked;
        return () => {};
      },
    },
  );
  const { id } = (await post({ background: true })).json();
  await turns();
  revoke(new HearthError('unauthorized', 'not valid any more'));
  await turns();
  expect((await send('GET', `/${id}`)).json()).toMatchObject({
    status: 'failed',
    error: { code: 'invalid_api_key', message: 'not valid any more' },
  });
});

test('an error in the background is part of the response', async () => {
  // biome-ignore lint/correctness/useYield: it fails before it yields.
  const { post, send } = createApp(async function* () {
    throw new HearthError('busy', 'too many');
  });
  const { id } = (await post({ background: true })).json();
  await turns();
  expect((await send('GET', `/${id}`)).json()).toMatchObject({
    status: 'failed',
    error: { code: 'server_is_overloaded', message: 'too many' },
  });
});

test.each([
  [{ conversation: 'conv_1' }, 'conversation is not supported'],
  [{ prompt: { id: 'pmpt_1' } }, 'prompt is not supported'],
  [{ input: [] }, 'input: at least one item is required'],
  [{ truncation: 'some' }, 'truncation: expected'],
  [{ text: { format: { type: 'yaml' } } }, 'text.format.type: expected'],
  [{ text: { format: { type: 'json_schema', name: 'a' } } }, 'text.format.schema: a JSON schema is required'],
  [{ reasoning: { effort: 'heroic' } }, 'invalid reasoning value'],
])('%j is refused', async (body, message) => {
  const response = await createApp(answering(hello)).post(body);
  expect([response.statusCode, response.json().error.message]).toEqual([400, expect.stringContaining(message)]);
});

test('fields of the request reach the service', async () => {
  const inputs: ChatInput[] = [];
  const { post } = createApp(async function* (input) {
    inputs.push(input);
    yield* [started, done];
  });
  await post({
    ...{ max_output_tokens: 5, temperature: 0.5, truncation: 'auto', parallel_tool_calls: false, top_logprobs: 2 },
    ...{
      reasoning: { effort: 'high' },
      text: { format: { type: 'json_schema', name: 'a', schema: { type: 'array' } } },
    },
  });
  expect(inputs[0]).toMatchObject({
    options: { values: { numPredict: 5, temperature: 0.5 } },
    ...{ truncate: true, shift: false, parallelCalls: false, topLogprobs: 2, think: 'high', thinkIfAble: true },
    format: { type: 'schema', schema: { type: 'array' } },
  });
});

const echoServer = {
  name: 'files',
  listTools: async () => [{ name: 'echo', description: 'Echo.', parameters: { type: 'object' }, isReadOnly: true }],
  call: async (_: string, values: object) => ({ text: JSON.stringify(values), isError: false }),
};
const toolServers: ToolServers = {
  names: () => ['files'],
  find(name) {
    if (name !== 'files') throw new HearthError('mcp_not_found', `there is no MCP server "${name}"`);
    return echoServer;
  },
  open() {
    throw new HearthError('forbidden', 'only listed servers');
  },
  maxCalls: 4,
};
const mcpTool = { type: 'mcp', server_label: 'files', headers: { a: 'secret' } };
/** Calls the tool if there is no result yet. */
const callsEcho: Chat = async function* answer({ messages }) {
  yield started;
  if (messages.at(-1)?.role === 'tool') yield hello;
  else yield { type: 'tool-calls', calls: [{ id: 'c1', name: 'echo', arguments: { text: 'hi' } }] };
  yield done;
};

test('a tool of an MCP server runs, and its call and result are items', async () => {
  const { post } = createApp(callsEcho, {}, toolServers);
  const response = await post({ model: 'm', input: 'Hi', tools: [{ ...mcpTool, require_approval: 'never' }] });
  const { output, tools, usage } = response.json() as { output: object[]; tools: object[]; usage: object };
  expect(output).toMatchObject([
    { type: 'mcp_list_tools', server_label: 'files', tools: [{ name: 'echo' }], error: null },
    {
      type: 'mcp_call',
      server_label: 'files',
      name: 'echo',
      output: '{"text":"hi"}',
      status: 'completed',
      error: null,
    },
    { type: 'message' },
  ]);
  expect(JSON.stringify(tools)).not.toContain('secret');
  expect(usage).toMatchObject({ output_tokens: 2 * done.generatedTokens });
  const streamed = await post({
    model: 'm',
    input: 'Hi',
    stream: true,
    tools: [{ ...mcpTool, require_approval: { never: { tool_names: ['echo'] } } }],
  });
  for (const type of [
    'mcp_list_tools.completed',
    'mcp_call.in_progress',
    'mcp_call_arguments.done',
    'mcp_call.completed',
  ])
    expect(streamed.body).toContain(`"response.${type}"`);
});

test('a call waits for its approval, which a later request gives or refuses', async () => {
  const { post } = createApp(callsEcho, {}, toolServers);
  const ask = { model: 'm', tools: [mcpTool] };
  const first = (await post({ ...ask, input: 'Hi' })).json() as { id: string; output: { id: string; type: string }[] };
  expect(first.output.map(({ type }) => type)).toEqual(['mcp_list_tools', 'mcp_approval_request']);
  const answer = (approve: boolean) =>
    post({
      ...ask,
      previous_response_id: first.id,
      input: [{ type: 'mcp_approval_response', approval_request_id: first.output[1]?.id, approve }],
    });
  const { output } = (await answer(true)).json() as { output: object[] };
  expect(output).toMatchObject([
    { type: 'mcp_call', approval_request_id: first.output[1]?.id, output: '{"text":"hi"}' },
    { type: 'message' },
  ]);
  expect((await answer(false)).json()).toMatchObject({ output: [{ type: 'message' }] });
});

test('a server that is not listed, an address and an approval of nothing are refused', async () => {
  const { post } = createApp(callsEcho, {}, toolServers);
  const statusOf = async (body: object) => (await post({ model: 'm', input: 'Hi', ...body })).statusCode;
  expect(await statusOf({ tools: [{ type: 'mcp', server_label: 'other' }] })).toBe(404);
  expect(await statusOf({ tools: [{ ...mcpTool, server_url: 'http://127.0.0.1:1' }] })).toBe(403);
  expect(await statusOf({ tools: [{ ...mcpTool, server_url: 'file:///etc' }] })).toBe(400);
  expect(await statusOf({ tools: [{ type: 'mcp', server_label: 'files', connector_id: 'x' }] })).toBe(400);
  const input = [{ type: 'mcp_approval_response', approval_request_id: 'none', approve: true }];
  expect(await statusOf({ input, tools: [mcpTool] })).toBe(400);
});

const harbor: PassageSearch = {
  async checkAll(_keyId, [id = '']) {
    if (id !== 'vs_1') throw new HearthError('collection_not_found', `no collection has the id "${id}"`);
  },
  searchAll: async (_caller, _collections, { text, limit }) =>
    [text, 'Tickets cost four crowns.'].slice(0, limit).map((found, index) => ({
      ...{ text: found, collection: 'vs_1', fileId: `file-${index}`, fileName: `${index}.pdf`, page: index + 1 },
      ...{ start: 0, end: found.length, score: 1 - index / 10 },
    })),
};
const searching: Chat = async function* (input) {
  yield started;
  const calls = [{ id: 'c', name: 'file_search', arguments: { query: 'ferry times' } }];
  if (input.messages.at(-1)?.role !== 'tool') yield { type: 'tool-calls', calls };
  else
    yield* ['At seven [1', '], for four crowns [2, 9], says [', '3].'].map((text) => ({ type: 'text', text }) as const);
  yield done;
};
const searchTool = { type: 'file_search', vector_store_ids: ['vs_1'] };

test('an answer cites the passages that a search has found', async () => {
  const { post } = createApp(searching, {}, undefined, harbor);
  const ask = { model: 'm', input: 'When?', tools: [searchTool] };
  const plain = (await post(ask)).json();
  const annotations = [
    { type: 'file_citation', index: 9, file_id: 'file-0', filename: '0.pdf' },
    { type: 'file_citation', index: 30, file_id: 'file-1', filename: '1.pdf' },
  ];
  expect(plain.output).toMatchObject([
    { type: 'file_search_call', status: 'completed', queries: ['ferry times'], results: null },
    { type: 'message', content: [{ text: 'At seven [1], for four crowns [2, 9], says [3].', annotations }] },
  ]);
  const { payload } = await post({ ...ask, stream: true, include: ['file_search_call.results'] });
  expect(typesOf(payload)).toEqual([
    ...['created', 'in_progress', 'output_item.added', 'file_search_call.in_progress', 'file_search_call.searching'],
    ...['file_search_call.completed', 'output_item.done', 'output_item.added', 'content_part.added'],
    ...['output_text.delta', 'output_text.delta', 'output_text.delta'],
    ...['output_text.annotation.added', 'output_text.annotation.added'],
    ...['output_text.done', 'content_part.done', 'output_item.done', 'completed'],
  ]);
  const searched = eventsOf(payload).find(({ type }) => type === 'response.output_item.done');
  expect(searched?.['item']).toMatchObject({
    results: [{ file_id: 'file-0', filename: '0.pdf', score: 1, attributes: {}, text: 'ferry times' }, {}],
  });
});

test('a search in the input is read with its results, and wrong ones are refused', async () => {
  const inputs: ChatInput[] = [];
  const chat: Chat = async function* (input) {
    inputs.push(input);
    yield* [started, hello, done];
  };
  const { post } = createApp(chat, {}, undefined, harbor);
  const item = { type: 'file_search_call', id: 'fs_1', status: 'completed', queries: ['ferry times'] };
  const results = [{ file_id: 'f', filename: 'a.pdf', score: 1, text: 'At seven.' }];
  await post({ model: 'm', input: [{ role: 'user', content: 'When?' }, { ...item, results }, item] });
  expect(inputs[0]?.messages).toMatchObject([
    { role: 'user' },
    { role: 'assistant', toolCalls: [{ name: 'file_search', arguments: { query: 'ferry times' } }] },
    { role: 'tool', content: 'a.pdf:\nAt seven.' },
  ]);
  const statusOf = async (tool: object) => (await post({ model: 'm', input: 'x', tools: [tool] })).statusCode;
  expect(await statusOf({ ...searchTool, vector_store_ids: ['vs_2'] })).toBe(404);
  expect(await statusOf({ ...searchTool, vector_store_ids: [] })).toBe(400);
  expect(await statusOf({ ...searchTool, max_num_results: 51 })).toBe(400);
  expect(await statusOf({ ...searchTool, filters: { type: 'and', filters: [{ type: 'eq', key: 'a' }] } })).toBe(400);
  expect(await statusOf({ ...searchTool, ranking_options: { score_threshold: 2 } })).toBe(400);
  const nested = (depth: number): object =>
    depth === 0 ? { type: 'eq', key: 'a', value: 1 } : { type: 'or', filters: [nested(depth - 1)] };
  expect(await statusOf({ ...searchTool, filters: nested(4) })).toBe(200);
  expect(await statusOf({ ...searchTool, filters: nested(5) })).toBe(400);
  expect((await post({ model: 'm', input: 'x', tools: [searchTool, searchTool] })).statusCode).toBe(400);
});
