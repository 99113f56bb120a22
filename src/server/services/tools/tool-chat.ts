// Answers with tools that the server runs: a model answers, the tools that it calls are run, and it continues with their
// results, until it calls none. Each round is a chat of its own, so that no slot of a model waits for a tool.

import { HearthError } from '../../../base/errors.ts';
import type { Reported } from '../../../base/request/request-report.ts';
import { currentRequest } from '../../../base/request/request-scope.ts';
import type { AnswerDone, AnswerEvent } from '../../../inference/model/answer-event.ts';
import type { ConversationMessage, MessageToolCall } from '../../../inference/model/conversation.ts';
import type { CitedPassage, PassageSearch } from '../documents/passage-search.ts';
import type { Chat, ChatInput } from '../generation/measure-answer.ts';
import {
  addPassages,
  type CollectionRequest,
  CollectionSearch,
  searchServer,
  toQuestion,
  toSearchTool,
} from './collection-search.ts';
import { type OfferedTools, openTools, type ServerChoice, type ToolsListed } from './offered-tools.ts';
import type { ServerCall, ToolResult, ToolServers } from './tool-server.ts';

export interface ToolRequest {
  /** `all`: every listed server that answers. */
  readonly servers: readonly ServerChoice[] | 'all';
  /** Calls that were approved: they run before the model answers. */
  readonly approved?: readonly ServerCall[];
  /** The most calls; the settings may allow less. */
  readonly maxCalls?: number | undefined;
  readonly search?: CollectionRequest | undefined;
  /** Collections are searched for the question before the model answers. False: the model searches with a tool. */
  readonly searchesFirst?: boolean | undefined;
}

export type ToolChatEvent =
  | AnswerEvent
  | ToolsListed
  | { readonly type: 'server-call'; readonly call: ServerCall }
  | { readonly type: 'server-result'; readonly call: ServerCall; readonly result: ToolResult }
  /** What was found before the model answers. */
  | { readonly type: 'passages'; readonly passages: readonly CitedPassage[] }
  /** The answer ends: the caller decides. */
  | { readonly type: 'approval'; readonly call: ServerCall };

/** Without a request for tools, a plain chat. */
export type ToolChat = (
  input: Reported<ChatInput>,
  request: ToolRequest | undefined,
  signal: AbortSignal,
) => AsyncGenerator<ToolChatEvent>;

/** Without servers or collections, requests for them are refused. */
export function createToolChat(chat: Chat, servers: ToolServers | undefined, passages?: PassageSearch): ToolChat {
  async function openSearch({ search }: ToolRequest): Promise<CollectionSearch | undefined> {
    if (search === undefined) return undefined;
    if (passages === undefined) throw new HearthError('unsupported', 'this server has no collections');
    await passages.checkAll(search.keyId, search.collections);
    return new CollectionSearch(passages, search);
  }

  async function* answer(
    input: Reported<ChatInput>,
    request: ToolRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ToolChatEvent> {
    const search = await openSearch(request);
    const held: ToolChatEvent[] = [];
    let { messages } = input;
    const choices: ServerChoice[] = [];
    if (search !== undefined && request.searchesFirst) {
      const found = await search.find(toQuestion(messages), signal);
      messages = addPassages(messages, found);
      held.push({ type: 'passages', passages: found });
    } else if (search !== undefined) choices.push({ name: searchServer, server: toSearchTool(search) });
    const chosen = request.servers === 'all' ? 'all' : [...choices, ...request.servers];
    const tools = await openTools(servers, chosen, { taken: input.tools, signal });
    try {
      const maxCalls = maxCallsOf(request, servers);
      const loop = new ToolLoop({ input: { ...input, messages }, tools, signal, maxCalls, held });
      yield* loop.run(chat, request.approved ?? []);
    } finally {
      await tools.close();
    }
  }
  return (input, request, signal) => (request === undefined ? chat(input, signal) : answer(input, request, signal));
}

/** For a server without a list of servers. */
const defaultMaxCalls = 16;

function maxCallsOf({ maxCalls = Number.POSITIVE_INFINITY }: ToolRequest, servers: ToolServers | undefined): number {
  return Math.max(0, Math.min(maxCalls, servers?.maxCalls ?? defaultMaxCalls));
}

interface LoopParts {
  readonly input: Reported<ChatInput>;
  readonly tools: OfferedTools;
  readonly signal: AbortSignal;
  readonly maxCalls: number;
  readonly held: readonly ToolChatEvent[];
}

/** What one round of the model has said. */
interface Round {
  content: string;
  thinking: string;
  readonly calls: MessageToolCall[];
  done: AnswerDone | undefined;
}

class ToolLoop {
  readonly #parts: LoopParts;
  readonly #messages: ConversationMessage[];
  /** Events that wait until the first prompt is accepted, so that an error before it has a status. */
  #held: ToolChatEvent[] | undefined;
  #callsLeft: number;
  #total: AnswerDone | undefined;

  constructor(parts: LoopParts) {
    this.#parts = parts;
    this.#messages = [...parts.input.messages];
    this.#held = [...parts.held, ...parts.tools.listed];
    this.#callsLeft = parts.maxCalls;
  }

  async *run(chat: Chat, approved: readonly ServerCall[]): AsyncGenerator<ToolChatEvent> {
    this.#addApproved(approved);
    for (const call of approved) for await (const event of this.#runCall(call)) this.#held?.push(event);
    for (;;) {
      const round: Round = { content: '', thinking: '', calls: [], done: undefined };
      yield* this.#ask(chat, round);
      if (round.done === undefined) return;
      this.#total = sum(this.#total, round.done);
      const isLast = yield* this.#runCalls(round);
      if (isLast || round.done.reason === 'length') {
        yield this.#total;
        return;
      }
    }
  }

  /** Returns whether the answer ends with this round: no tool of the servers was called, or the caller has to do something. */
  async *#runCalls({ content, thinking, calls }: Round): AsyncGenerator<ToolChatEvent, boolean> {
    const { own, others } = this.#sort(calls);
    if (own.length > 0) this.#addCalls(content, thinking, calls);
    const waiting = own.filter((call) => this.#parts.tools.needsApproval(call));
    for (const call of own) if (!waiting.includes(call)) yield* this.#runCall(call);
    for (const call of waiting) yield { type: 'approval', call };
    if (others.length > 0) yield { type: 'tool-calls', calls: others };
    return own.length === 0 || others.length > 0 || waiting.length > 0;
  }

  /** The calls of a round are sorted at its end; its other events are passed on. */
  async *#ask(chat: Chat, round: Round): AsyncGenerator<ToolChatEvent> {
    const { signal } = this.#parts;
    for await (const event of chat(this.#nextInput(), signal)) {
      if (event.type === 'tool-calls') round.calls.push(...event.calls);
      else if (event.type === 'done') round.done = event;
      else if (event.type !== 'started') {
        if (event.type === 'text') round.content += event.text;
        if (event.type === 'thinking') round.thinking += event.text;
        yield event;
      } else if (this.#held !== undefined) {
        yield event;
        yield* this.#held;
        this.#held = undefined;
      }
    }
  }

  #nextInput(): Reported<ChatInput> {
    const { input, tools } = this.#parts;
    const { numPredict = 0 } = input.options.values;
    const left = numPredict - (this.#total?.generatedTokens ?? 0);
    const options =
      numPredict > 0
        ? { ...input.options, values: { ...input.options.values, numPredict: Math.max(1, left) } }
        : input.options;
    // A choice that requires a call is met by the first one.
    const isFirst = this.#total === undefined;
    const toolChoice = this.#callsLeft === 0 ? 'none' : isFirst ? input.toolChoice : 'auto';
    return {
      ...input,
      options,
      messages: this.#messages,
      tools: [...input.tools, ...tools.tools],
      ...(toolChoice === undefined ? {} : { toolChoice }),
    };
  }

  #sort(calls: readonly MessageToolCall[]) {
    const { input, tools } = this.#parts;
    const callers = new Set(input.tools.map(({ name }) => name));
    const others = calls.filter(({ name }) => callers.has(name));
    const own = calls.filter(({ name }) => !callers.has(name)).map((call) => tools.toServerCall(call));
    return { own, others };
  }

  async *#runCall(call: ServerCall): AsyncGenerator<ToolChatEvent> {
    const { tools, signal } = this.#parts;
    yield { type: 'server-call', call };
    const isAllowed = this.#callsLeft > 0;
    this.#callsLeft = Math.max(0, this.#callsLeft - 1);
    const result = isAllowed ? await traced(call, () => tools.call(call, signal)) : outOfCalls;
    this.#messages.push({
      role: 'tool',
      content: result.text,
      encodedImages: [],
      toolName: tools.toModelCall(call).name,
      toolCallId: call.id,
    });
    yield { type: 'server-result', call, result };
  }

  /** The calls belong to the message that the model ended with them, if the request has it. */
  #addApproved(approved: readonly ServerCall[]): void {
    if (approved.length === 0) return;
    const calls = approved.map((call) => this.#parts.tools.toModelCall(call));
    const last = this.#messages.at(-1);
    if (last?.role !== 'assistant' || last.toolCalls !== undefined) this.#addCalls('', '', calls);
    else this.#messages[this.#messages.length - 1] = { ...last, toolCalls: calls };
  }

  #addCalls(content: string, thinking: string, toolCalls: readonly MessageToolCall[]): void {
    const said = thinking === '' ? {} : { thinking };
    this.#messages.push({ role: 'assistant', content, encodedImages: [], ...said, toolCalls });
  }
}

async function traced(call: ServerCall, run: () => Promise<ToolResult>): Promise<ToolResult> {
  const work = currentRequest()?.trace?.work;
  if (work === undefined) return run();
  const from = work.now();
  const result = await run();
  const { id: callId, server, tool } = call;
  const failure = result.isError ? 'tool_failed' : undefined;
  work.add({ type: 'tool', callId, server, tool, from, until: work.now(), failure });
  return result;
}

const outOfCalls: ToolResult = { text: 'Error: the limit of tool calls for this answer is reached', isError: true };

/** Tokens and times of all rounds; the rest is that of the last. */
function sum(total: AnswerDone | undefined, last: AnswerDone): AnswerDone {
  if (total === undefined) return last;
  return {
    ...last,
    promptTokens: total.promptTokens + last.promptTokens,
    promptNanoseconds: total.promptNanoseconds + last.promptNanoseconds,
    generatedTokens: total.generatedTokens + last.generatedTokens,
    generateNanoseconds: total.generateNanoseconds + last.generateNanoseconds,
    cachedTokens: total.cachedTokens + last.cachedTokens,
    thinkingTokens: total.thinkingTokens + last.thinkingTokens,
    totalNanoseconds: total.totalNanoseconds + last.totalNanoseconds,
    loadNanoseconds: total.loadNanoseconds + last.loadNanoseconds,
  };
}
