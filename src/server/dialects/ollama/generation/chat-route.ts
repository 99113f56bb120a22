// POST /api/chat

import { HearthError } from '../../../../base/errors.ts';
import type { Logger } from '../../../../base/logger.ts';
import type { Clock } from '../../../../base/time/clock.ts';
import { formatTimestamp } from '../../../../base/time/timestamp.ts';
import { requestSignal } from '../../../http/requests.ts';
import type { ResumableAnswers } from '../../../http/resumable/resumable-answers.ts';
import { sendFollowed } from '../../../http/resumable/send-followed.ts';
import type { Route } from '../../../http/route.ts';
import { sendStream } from '../../../http/streaming/send-stream.ts';
import { spaced } from '../../../http/streaming/spaced.ts';
import type { Chat, ChatOutput } from '../../../services/generation/chat.ts';
import { createLogprobBuffer, toLogprobBody } from '../../shared/logprob-bodies.ts';
import type { LogprobBody } from '../../shared/logprobs-schema.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';
import { reportDropped, type StartReport } from '../../shared/start-report.ts';
import { type RemoteFields, toRemoteFields, toStatistics } from './answer-report.ts';
import { toChatInput } from './chat-input.ts';
import {
  ChatRequestBody,
  ChatResponseBody,
  type ChatResponseMessage,
  type ChatResponseToolCall,
} from './chat-schema.ts';

export interface ChatRouteOptions {
  readonly chat: Chat;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The last object of a stream has no message, as in Ollama's API document. Ollama itself sends an empty one. */
  readonly strictSpec: boolean;
  /** Absent: no answer can be resumed. */
  readonly resumable?: ResumableAnswers | undefined;
}

type Stamp = () => Pick<ChatResponseBody, 'model' | 'created_at'>;

const emptyMessage: ChatResponseMessage = { role: 'assistant', content: '' };

export function chatRoute({ chat, clock, logger, strictSpec, resumable }: ChatRouteOptions): Route {
  const finish = strictSpec ? withoutLastMessage : (responses: AsyncIterable<ChatResponseBody>) => responses;
  return {
    dialect: ollamaDialect,
    method: 'POST',
    scope: 'infer',
    path: '/api/chat',
    summary: 'Generate the next message of a chat',
    metered: true,
    body: ChatRequestBody,
    response: ChatResponseBody,
    streams: ChatResponseBody,
    async handle(request, reply) {
      const body = request.body as ChatRequestBody;
      let remote: RemoteFields = {};
      const stamp: Stamp = () => ({
        model: body.model ?? '',
        ...remote,
        created_at: formatTimestamp(clock.now()),
      });
      const outputs = chat({ ...toChatInput(body), report: request.report }, requestSignal());
      if (resumable && body.resumable === true && body.stream !== false) {
        const answer = resumable.start(request, finish(toAllResponses(outputs, stamp)));
        return sendFollowed(reply, answer, { dialect: ollamaDialect, logger });
      }
      const first = (await outputs.next()).value as ChatOutput;
      if (isLoad(first)) {
        await outputs.return(undefined);
        return toLoadResponse(first, stamp);
      }
      const start: StartReport = first.type === 'started' ? first : { droppedTokens: 0 };
      reportDropped(reply, start);
      remote = toRemoteFields(start);
      const responses = toResponses(outputs, stamp, start);
      if (body.stream === false) return foldResponses(responses);
      return sendStream(reply, spaced(finish(responses), clock), { dialect: ollamaDialect, logger });
    },
  };
}

type LoadOutput = Extract<ChatOutput, { type: 'loaded' | 'unloaded' }>;

function isLoad(output: ChatOutput): output is LoadOutput {
  return output.type === 'loaded' || output.type === 'unloaded';
}

function toLoadResponse({ type }: LoadOutput, stamp: Stamp): ChatResponseBody {
  return { ...stamp(), message: emptyMessage, done_reason: type === 'loaded' ? 'load' : 'unload', done: true };
}

/** Also the only object of a request that just loads or unloads the model. */
async function* toAllResponses(outputs: AsyncGenerator<ChatOutput>, stamp: Stamp): AsyncGenerator<ChatResponseBody> {
  const first = (await outputs.next()).value as ChatOutput;
  if (!isLoad(first)) yield* toResponses(outputs, stamp, first.type === 'started' ? first : { droppedTokens: 0 });
  else {
    await outputs.return(undefined);
    yield toLoadResponse(first, stamp);
  }
}

async function* toResponses(
  outputs: AsyncIterable<ChatOutput>,
  stamp: Stamp,
  start: StartReport,
): AsyncGenerator<ChatResponseBody> {
  const buffer = createLogprobBuffer(toLogprobBody);
  let calls = 0;
  const part = (message: Partial<ChatResponseMessage>): ChatResponseBody => ({
    ...stamp(),
    message: { ...emptyMessage, ...message },
    done: false,
    ...buffer.take(),
  });
  for await (const output of outputs) {
    if (output.type === 'logprobs') buffer.put(output.tokens);
    if (output.type === 'thinking') yield part({ thinking: output.text });
    if (output.type === 'text') yield part({ content: output.text });
    if (output.type === 'tool-calls') {
      yield part({ tool_calls: output.calls.map((call) => toResponseCall(call, calls++)) });
    }
    if (output.type === 'done') yield { ...part({}), done: true, ...toStatistics(output, start) };
  }
}

function toResponseCall(
  { id, name, arguments: values }: Extract<ChatOutput, { type: 'tool-calls' }>['calls'][number],
  index: number,
): ChatResponseToolCall {
  return { ...(id === undefined ? {} : { id }), function: { index, name, arguments: values } };
}

/** All objects as one. */
async function foldResponses(responses: AsyncIterable<ChatResponseBody>): Promise<ChatResponseBody> {
  let content = '';
  let thinking = '';
  const calls: ChatResponseToolCall[] = [];
  const logprobs: LogprobBody[] = [];
  let last: ChatResponseBody | undefined;
  for await (const response of responses) {
    const { message = emptyMessage } = response;
    content += message.content;
    thinking += message.thinking ?? '';
    calls.push(...(message.tool_calls ?? []));
    logprobs.push(...(response.logprobs ?? []));
    last = response;
  }
  if (last === undefined) throw new HearthError('internal', 'a response ended without its last object');
  return {
    ...last,
    message: {
      role: 'assistant',
      content,
      ...(thinking === '' ? {} : { thinking }),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    },
    ...(logprobs.length === 0 ? {} : { logprobs }),
  };
}

async function* withoutLastMessage(responses: AsyncIterable<ChatResponseBody>): AsyncGenerator<ChatResponseBody> {
  for await (const response of responses) {
    const { message, ...rest } = response;
    yield response.done ? rest : response;
  }
}
