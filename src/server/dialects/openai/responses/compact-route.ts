// POST /v1/responses/compact: the conversation so far becomes one item, which later requests have as the start of their
// input. The model writes it. The prompt is that of the conversation with one more question, so that most of it is in the
// prefix cache.

import type { FastifyRequest } from 'fastify';
import { HearthError } from '../../../../base/errors.ts';
import type { AnswerDone } from '../../../../inference/model/answer-event.ts';
import type { Route } from '../../../http/route.ts';
import type { Chat, ChatInput } from '../../../services/generation/measure-answer.ts';
import { responsesDialect, responsesPrefix } from './dialect.ts';
import { summaryRequest, toSummaryContent } from './request/compaction.ts';
import { readItemFiles } from './request/item-content.ts';
import { CompactRequestBody } from './request/responses-request-schema.ts';
import { refuseUnsupported, toResponsesChatInput } from './request/to-chat-input.ts';
import { readTools } from './request/tool-table.ts';
import { toSeconds } from './response/initial-response.ts';
import { toResponseUsage } from './response/response-events.ts';
import { CompactionBody } from './response/response-schema.ts';
import type { ResponsesRouteOptions } from './responses-route.ts';
import { readConversation } from './stored/read-conversation.ts';

const maxSummaryTokens = 2048;

export function compactRoute(
  options: Omit<ResponsesRouteOptions, 'logger' | 'toolChat'> & { readonly chat: Chat },
): Route {
  const { chat, describeCustomTool, store, readDocument, clock } = options;
  const newId = (prefix: string): string => `${prefix}_${options.newId()}`;

  return {
    dialect: responsesDialect,
    method: 'POST',
    scope: 'infer',
    path: `${responsesPrefix}/compact`,
    summary: 'Replace a conversation by a summary',
    metered: true,
    body: CompactRequestBody,
    response: CompactionBody,
    async handle(request): Promise<CompactionBody> {
      const body = request.body as CompactRequestBody;
      refuseUnsupported(body);
      const tools = await readTools(body.tools ?? [], describeCustomTool);
      const items = await readConversation(body, { store, key: request.scope.key, newId });
      const read = await readItemFiles(items, { readDocument, scope: request.scope });
      const input = toResponsesChatInput(body, { items: read, tools });
      const { summary, done } = await summarize(request, {
        ...input,
        messages: summaryRequest(input.messages),
        toolChoice: 'auto',
        format: undefined,
        options: { ...input.options, values: { ...input.options.values, numPredict: maxSummaryTokens } },
        // A conversation is often compacted because it does not fit any more.
        truncate: true,
        shift: true,
      });
      return {
        id: newId('resp'),
        object: 'response.compaction',
        created_at: toSeconds(clock.now()),
        output: [{ id: newId('cmp'), type: 'compaction', encrypted_content: toSummaryContent(summary) }],
        usage: toResponseUsage(done),
      };
    },
  };

  async function summarize(request: FastifyRequest, input: ChatInput): Promise<{ summary: string; done: AnswerDone }> {
    const first = await answer(request, input);
    // Without the tools, the prompt has another start. The model gets them until it calls one instead of answering.
    const { text, done } = first.text === '' ? await answer(request, { ...input, toolChoice: 'none' }) : first;
    if (text === '' || done === undefined) throw new HearthError('request_failed', 'the model wrote no summary');
    return { summary: text, done };
  }

  async function answer({ report, scope }: FastifyRequest, input: ChatInput) {
    const texts: string[] = [];
    let done: AnswerDone | undefined;
    for await (const event of chat({ ...input, report }, scope.signal)) {
      if (event.type === 'text') texts.push(event.text);
      if (event.type === 'done') done = event;
    }
    return { text: texts.join('').trim(), done };
  }
}
