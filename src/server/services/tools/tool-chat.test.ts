import { expect, test } from 'vitest';
import { RequestReport } from '../../../base/request/request-report.ts';
import type { AnswerDone, AnswerEvent } from '../../../inference/model/answer-event.ts';
import { parseRequestedModel } from '../../../models/name.ts';
import { parseOptions } from '../../../models/options.ts';
import type { Chat, ChatInput } from '../generation/measure-answer.ts';
import { createToolChat, type ToolChatEvent, type ToolRequest } from './tool-chat.ts';
import type { ServerTool, ToolServer, ToolServers } from './tool-server.ts';

const never = new AbortController().signal;
const started: AnswerEvent = { type: 'started', promptTokens: 3, cachedTokens: 1, droppedTokens: 0 };
const done: AnswerDone = {
  type: 'done',
  reason: 'stop',
  promptTokens: 3,
  promptNanoseconds: 1,
  generatedTokens: 2,
  generateNanoseconds: 1,
  cachedTokens: 1,
  thinkingTokens: 0,
  totalNanoseconds: 2,
  loadNanoseconds: 0,
};
const text = (value: string): AnswerEvent => ({ type: 'text', text: value });
const calls = (...names: string[]): AnswerEvent => ({
  type: 'tool-calls',
  calls: names.map((name, index) => ({ id: `c${index}`, name, arguments: { text: name } })),
});
const toolOf = (name: string): ServerTool => ({ name, description: `${name}!`, parameters: { type: 'object' } });

/** A server with these tools that records its calls. */
function serverOf(name: string, tools: readonly string[] | Error, called: string[] = []): ToolServer {
  return {
    name,
    async listTools() {
      if (tools instanceof Error) throw tools;
      return tools.map(toolOf);
    },
    async call(tool, values) {
      called.push(`${name}.${tool} ${JSON.stringify(values)}`);
      return { text: `result of ${tool}`, isError: false };
    },
  };
}

function serversOf(list: readonly ToolServer[], maxCalls = 8): ToolServers {
  return {
    names: () => list.map(({ name }) => name),
    find(name) {
      const found = list.find((server) => server.name === name);
      if (found === undefined) throw new Error(`no ${name}`);
      return found;
    },
    open: () => {
      throw new Error('not allowed');
    },
    maxCalls,
  };
}

/** Answers with these rounds, the last one again and again. */
function chatOf(rounds: readonly (readonly AnswerEvent[])[]) {
  const inputs: ChatInput[] = [];
  const chat: Chat = async function* answer(input) {
    inputs.push(input);
    yield* [started, ...(rounds[inputs.length - 1] ?? rounds.at(-1) ?? []), done];
  };
  return { chat, inputs };
}

const input = (given: Partial<ChatInput> = {}) => ({
  model: parseRequestedModel('m'),
  messages: [{ role: 'user', content: 'Why?', encodedImages: [] }],
  tools: [],
  options: parseOptions({}),
  report: new RequestReport(),
  ...given,
});

async function run(
  { chat }: { readonly chat: Chat },
  servers: ToolServers | undefined,
  request: ToolRequest,
  given: Partial<ChatInput> = {},
): Promise<ToolChatEvent[]> {
  const events: ToolChatEvent[] = [];
  for await (const event of createToolChat(chat, servers)(input(given), request, never)) events.push(event);
  return events;
}

const typesOf = (events: readonly ToolChatEvent[]): string[] => events.map(({ type }) => type);

test('a called tool runs, and the model continues with its result', async () => {
  const called: string[] = [];
  const asked = chatOf([[text('I look. '), calls('echo')], [text('Done.')]]);
  const events = await run(asked, serversOf([serverOf('a', ['echo', 'other'], called)]), { servers: 'all' });
  expect(typesOf(events)).toEqual(['started', 'tools-listed', 'text', 'server-call', 'server-result', 'text', 'done']);
  expect(called).toEqual(['a.echo {"text":"echo"}']);
  expect(events.at(-1)).toMatchObject({ generatedTokens: 4, promptTokens: 6, cachedTokens: 2 });
  const [first, second] = asked.inputs;
  expect(first?.tools.map(({ name }) => name)).toEqual(['echo', 'other']);
  expect(second?.messages.slice(1)).toEqual([
    {
      role: 'assistant',
      content: 'I look. ',
      encodedImages: [],
      toolCalls: [{ id: 'c0', name: 'echo', arguments: { text: 'echo' } }],
    },
    { role: 'tool', content: 'result of echo', encodedImages: [], toolName: 'echo', toolCallId: 'c0' },
  ]);
});

test('without a request for tools, the chat is passed through', async () => {
  const { chat, inputs } = chatOf([[text('Hi.')]]);
  const events: ToolChatEvent[] = [];
  for await (const event of createToolChat(chat, undefined)(input(), undefined, never)) events.push(event);
  expect(typesOf(events)).toEqual(['started', 'text', 'done']);
  expect(inputs).toHaveLength(1);
});

test('names that several tools have get the name of their server, and other characters are replaced', async () => {
  const asked = chatOf([[calls('b__echo', 'read_file')], [text('Done.')]]);
  const called: string[] = [];
  const servers = serversOf([serverOf('a', ['echo'], called), serverOf('b', ['echo', 'read/file'], called)]);
  await run(asked, servers, { servers: 'all' }, { tools: [{ name: 'echo', description: '' }] });
  expect(asked.inputs[0]?.tools.map(({ name }) => name)).toEqual(['echo', 'a__echo', 'b__echo', 'read_file']);
  expect(called.map((line) => line.split(' ')[0])).toEqual(['b.echo', 'b.read/file']);
});

test('a model that never stops calling is stopped', async () => {
  const asked = chatOf([[calls('echo')]]);
  const called: string[] = [];
  const rounds = { count: 0 };
  const chat: Chat = (given, signal) => {
    rounds.count += 1;
    return given.toolChoice === 'none' ? chatOf([[text('Enough.')]]).chat(given, signal) : asked.chat(given, signal);
  };
  const events = await run({ chat }, serversOf([serverOf('a', ['echo'], called)], 3), { servers: 'all' });
  expect(called).toHaveLength(3);
  expect(rounds.count).toBe(4);
  expect(events.at(-2)).toEqual(text('Enough.'));
});

test('the request can allow fewer calls, also in one round', async () => {
  const called: string[] = [];
  const asked = chatOf([[calls('echo', 'echo', 'echo')], [text('Done.')]]);
  const events = await run(asked, serversOf([serverOf('a', ['echo'], called)]), { servers: 'all', maxCalls: 1 });
  expect(called).toHaveLength(1);
  expect(events.filter(({ type }) => type === 'server-result')).toMatchObject([
    { result: { isError: false } },
    { result: { isError: true, text: expect.stringContaining('limit') } },
    { result: { isError: true } },
  ]);
});

test('calls of the tools of the caller end the answer, after those of the servers', async () => {
  const asked = chatOf([[calls('echo', 'own')]]);
  const servers = serversOf([serverOf('a', ['echo'])]);
  const events = await run(asked, servers, { servers: 'all' }, { tools: [{ name: 'own', description: '' }] });
  expect(typesOf(events).slice(2)).toEqual(['server-call', 'server-result', 'tool-calls', 'done']);
  expect(events.at(-2)).toMatchObject({ calls: [{ name: 'own' }] });
});

test('a call that needs an approval does not run, and runs when it is approved', async () => {
  const called: string[] = [];
  const servers = serversOf([serverOf('a', ['echo'], called)]);
  const choice = { name: 'a', needsApproval: () => true };
  const events = await run(chatOf([[calls('echo')]]), servers, { servers: [choice] });
  expect(typesOf(events)).toEqual(['started', 'tools-listed', 'approval', 'done']);
  expect(called).toEqual([]);
  const asked = chatOf([[text('Done.')]]);
  const call = { id: 'x', server: 'a', tool: 'echo', values: { n: 1 }, approval: 'mcpr_1' };
  const later = await run(asked, servers, { servers: [choice], approved: [call] });
  expect(typesOf(later)).toEqual(['started', 'tools-listed', 'server-call', 'server-result', 'text', 'done']);
  expect(called).toEqual(['a.echo {"n":1}']);
  expect(asked.inputs[0]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'result of echo' });
});

test('a tool that the request does not offer is not called, whoever approved it', async () => {
  const called: string[] = [];
  const servers = serversOf([serverOf('a', ['echo', 'remove'], called)]);
  const request: ToolRequest = {
    servers: [{ name: 'a', allows: ({ name }) => name === 'echo' }],
    approved: [{ id: 'x', server: 'a', tool: 'remove', values: {}, approval: 'y' }],
  };
  const events = await run(chatOf([[calls('remove')], [text('Done.')]]), servers, request);
  expect(called).toEqual([]);
  expect(events.filter(({ type }) => type === 'server-result')).toMatchObject([
    { result: { isError: true, text: 'Error: there is no tool "remove"' } },
    { result: { isError: true } },
  ]);
});

test('a server that does not answer fails a request that names it, and is left out of all', async () => {
  const servers = serversOf([serverOf('bad', new Error('is gone')), serverOf('a', ['echo'])]);
  await expect(run(chatOf([[text('Hi.')]]), servers, { servers: [{ name: 'bad' }] })).rejects.toThrow('is gone');
  const events = await run(chatOf([[text('Hi.')]]), servers, { servers: 'all' });
  expect(events.slice(1, 3)).toMatchObject([{ server: 'bad', error: 'is gone', tools: [] }, { server: 'a' }]);
});

test('a required call is required once, and the tokens of all rounds count in their limit', async () => {
  const asked = chatOf([[calls('echo')], [text('Done.')]]);
  const servers = serversOf([serverOf('a', ['echo'])]);
  const options = parseOptions({ num_predict: 10 });
  await run(asked, servers, { servers: 'all' }, { toolChoice: 'required', options });
  expect(asked.inputs.map(({ toolChoice, options: { values } }) => [toolChoice, values.numPredict])).toEqual([
    ['required', 10],
    ['auto', 8],
  ]);
});
