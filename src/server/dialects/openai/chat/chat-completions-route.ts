// POST /v1/chat/completions

import type { Logger } from '../../../../base/logger.ts';
import { onFirst, pipe } from '../../../../base/pipe.ts';
import type { Clock } from '../../../../base/time/clock.ts';
import type { AnswerDone } from '../../../../inference/model/answer-event.ts';
import type { Route } from '../../../http/route.ts';
import { headersOnly, sendStream } from '../../../http/streaming/send-stream.ts';
import type { Chat } from '../../../services/generation/measure-answer.ts';
import type { RenderPrompt } from '../../../services/generation/render-prompt.ts';
import type { DocumentContext } from '../../shared/document-parts.ts';
import { toolsWithoutFunction } from '../../shared/model-input.ts';
import { openAiDialect } from '../../shared/openai-dialect.ts';
import { reportDropped, toDebugInfo } from '../../shared/start-report.ts';
import { type ChunkUsage, type PartProgress, readChunkUsage, tokenIdsIn, usageSoFar } from '../answer-progress.ts';
import { readCount, toChoice, toHead, toUsage } from '../generation-fields.ts';
import type { CompletionHead } from '../generation-schema.ts';
import { interleave, type Tagged } from '../interleave.ts';
import { toOpenAiChatInput } from './chat-input.ts';
import { type ChatPart, foldChat, toChatParts } from './chat-parts.ts';
import { ChatCompletionChunkBody, ChatCompletionRequestBody, ChatCompletionResponseBody } from './chat-schema.ts';
import { readMessageFiles } from './message-content.ts';

export interface OpenAiRouteOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** A unique id for a response. */
  readonly newId: () => string;
  /** Whether conversations that are too long are shortened if requests do not say. */
  readonly truncates?: boolean;
}

interface ChatRouteOptions extends OpenAiRouteOptions {
  readonly chat: Chat;
  readonly renderPrompt: RenderPrompt;
  readonly readDocument?: DocumentContext['readDocument'];
}

export function chatCompletionsRoute({ chat, renderPrompt, readDocument, ...options }: ChatRouteOptions): Route {
  return {
    dialect: openAiDialect,
    method: 'POST',
    scope: 'infer',
    path: '/v1/chat/completions',
    summary: 'Generate the next message of a chat',
    metered: true,
    reportsLoad: true,
    body: ChatCompletionRequestBody,
    response: ChatCompletionResponseBody,
    streams: ChatCompletionChunkBody,
    async handle(request, reply) {
      const { scope } = request;
      const body = await readMessageFiles(request.body as ChatCompletionRequestBody, { readDocument, scope });
      request.report.ignore(toolsWithoutFunction(body.tools));
      const input = { ...toOpenAiChatInput(body, options.truncates), report: request.report };
      const { signal } = scope;
      const source = { id: `chatcmpl-${options.newId()}`, model: body.model, now: options.clock.now() };
      if (body._debug_render_only === true)
        return {
          ...toHead('chat.completion', source),
          choices: [{ index: 0, message: { role: 'assistant', content: '' }, logprobs: null, finish_reason: 'stop' }],
          usage: toUsage([]),
          _debug_info: toDebugInfo(await renderPrompt.ofChat(input, signal)),
        };
      // The prompt is reported once.
      const others = { ...input, promptLogprobs: undefined };
      const answers = Array.from({ length: readCount(body) }, (_, index) =>
        chat(toChoice(index === 0 ? input : others, index), signal),
      );
      const reasoning = body.include_reasoning ?? true;
      const promptTop = body.prompt_logprobs;
      const outputs = interleave(answers.map((answer, index) => toChatParts(answer, { index, reasoning, promptTop })));
      const reported = onFirst(outputs, ({ item }) => {
        if (item.type === 'started') reportDropped(reply, item);
      });
      if (body.stream !== true) return foldChat(reported, answers.length, toHead('chat.completion', source));
      const head = toHead('chat.completion.chunk', source);
      const chunks = toChunks(reported, { head, count: answers.length, usage: readChunkUsage(body) });
      // Until the first chunk arrives, an error still gets a status.
      return sendStream(reply, chunks, { dialect: openAiDialect, logger: options.logger });
    },
  };
}

interface ChunkOptions {
  readonly head: CompletionHead<'chat.completion.chunk'>;
  readonly count: number;
  readonly usage: ChunkUsage;
}

function toChunks(
  outputs: AsyncIterable<Tagged<ChatPart>>,
  { head, count, usage }: ChunkOptions,
): AsyncGenerator<object> {
  const done: AnswerDone[] = [];
  const chunk = (
    choice: ChatCompletionChunkBody['choices'][number],
    progress: PartProgress,
  ): ChatCompletionChunkBody => ({
    ...head,
    choices: [{ ...choice, ...tokenIdsIn(progress) }],
    ...usageSoFar(usage, progress),
  });
  let promptIds: readonly number[] | undefined;
  let hasRoles = false;
  const passRoles = (first: TextPart, pass: (chunk: object) => void): void => {
    for (let index = 0; index < count; index++)
      pass({
        ...chunk(
          { index, delta: { role: 'assistant', content: isCall(first) ? null : '' }, finish_reason: null },
          before(first),
        ),
        prompt_token_ids: promptIds,
      });
    hasRoles = true;
  };
  return pipe(outputs, {
    push({ index, item }: Tagged<ChatPart>, pass: (chunk: object) => void) {
      if (item.type === 'started') {
        promptIds ??= item.promptIds;
        pass(headersOnly);
      } else if (item.type !== 'prompt') {
        // The role precedes the first text, as in vLLM and llama-server: clients take the first chunk for the first
        // token. A response without text has it too.
        if (!hasRoles) passRoles(item, pass);
        pass(chunk({ index, ...toChoiceFields(item) }, item.progress));
        if (item.type === 'done') done.push(item.done);
      }
    },
    end(pass) {
      if (usage !== 'none') pass({ ...head, choices: [], usage: toUsage([done]) });
    },
  });
}

/** OpenAI's servers send an empty text before a text, and null before a call. */
function isCall(part: TextPart): boolean {
  return part.type === 'delta' && part.delta.tool_calls !== undefined;
}

type TextPart = Extract<ChatPart, { type: 'delta' | 'done' }>;

function toChoiceFields(part: TextPart): Omit<ChatCompletionChunkBody['choices'][number], 'index'> {
  if (part.type === 'done') return { delta: {}, finish_reason: part.reason, schema_violations: part.done.violations };
  const { delta, logprobs: content } = part;
  return content ? { delta, logprobs: { content }, finish_reason: null } : { delta, finish_reason: null };
}

/** The counts before the first text. */
function before({ progress }: TextPart): PartProgress {
  return { ...progress, tokenIds: undefined, generatedTokens: 0 };
}
