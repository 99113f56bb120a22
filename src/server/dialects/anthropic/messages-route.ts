// POST /v1/messages

import type { Logger } from '../../../base/logger.ts';
import { onFirst, pipe } from '../../../base/pipe.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { Route } from '../../http/route.ts';
import { fillSilence } from '../../http/streaming/fill-silence.ts';
import { sendStream } from '../../http/streaming/send-stream.ts';
import type { ToolChat } from '../../services/tools/tool-chat.ts';
import type { DocumentContext } from '../shared/document-parts.ts';
import { toolTypes } from '../shared/model-input.ts';
import { reportStart } from '../shared/start-report.ts';
import { requireToolAccess } from '../shared/tool-access.ts';
import { anthropicDialect, anthropicPrefix } from './dialect.ts';
import { readMessageDocuments } from './request/content-blocks.ts';
import { readMcpServers } from './request/mcp-servers.ts';
import { MessagesRequestBody } from './request/messages-request-schema.ts';
import { ignoredToolTypes, toAnthropicChatInput } from './request/to-chat-input.ts';
import { foldMessage } from './response/fold-message.ts';
import { createToMessageEvents } from './response/message-events.ts';
import { MessageEvent, MessageResponseBody } from './response/messages-response-schema.ts';

interface MessagesRouteOptions {
  readonly toolChat: ToolChat;
  readonly readDocument?: DocumentContext['readDocument'];
  readonly clock: Clock;
  readonly logger: Logger;
  /** A unique id. */
  readonly newId: () => string;
  /** Whether conversations that are too long are shortened. */
  readonly truncates?: boolean;
}

// Evaluating a long prompt takes minutes on a small machine, and proxies close silent connections.
const pingIntervalMs = 10_000;
const ping: MessageEvent = { type: 'ping' };

export function messagesRoute(options: MessagesRouteOptions): Route {
  const { toolChat, readDocument, clock, logger, newId, truncates } = options;
  return {
    dialect: anthropicDialect,
    method: 'POST',
    scope: 'infer',
    path: anthropicPrefix,
    summary: 'Generate the next message of a conversation',
    metered: true,
    body: MessagesRequestBody,
    response: MessageResponseBody,
    streams: MessageEvent,
    async handle(request, reply) {
      const { report, scope } = request;
      const body = await readMessageDocuments(request.body as MessagesRequestBody, { readDocument, scope });
      report.ignore(toolTypes(ignoredToolTypes(body)));
      const servers = readMcpServers(body);
      if (servers !== undefined) requireToolAccess(request);
      const outputs = toolChat({ ...toAnthropicChatInput(body, truncates), report }, servers, scope.signal);
      const toEvents = createToMessageEvents({
        id: `msg_${newId()}`,
        model: body.model ?? '',
        maxTokens: body.max_tokens,
        stopSequences: body.stop_sequences ?? [],
        omitThinking: body.thinking?.display === 'omitted',
        newToolUseId: (prefix) => `${prefix}_${newId()}`,
      });
      const events = pipe(onFirst(outputs, reportStart(reply)), toEvents);
      if (body.stream !== true) return foldMessage(events);
      // Until the prompt is accepted there is no ping: an error still gets a status.
      const sent = fillSilence(events, { clock, intervalMs: pingIntervalMs, filler: () => ping });
      return sendStream(reply, sent, { dialect: anthropicDialect, logger });
    },
  };
}
