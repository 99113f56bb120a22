// POST /v1/responses, and messages over a WebSocket on the same path

import type { FastifyReply, FastifyRequest } from 'fastify';
import { HearthError } from '../../../../base/errors.ts';
import type { Logger } from '../../../../base/logger.ts';
import type { RequestReport } from '../../../../base/request/request-report.ts';
import { runInRequest } from '../../../../base/request/request-scope.ts';
import type { Clock } from '../../../../base/time/clock.ts';
import type { DescribeCustomTool } from '../../../../inference/model/custom-tool.ts';
import { channelOf } from '../../../http/message-request.ts';
import type { Route } from '../../../http/route.ts';
import { sendStream } from '../../../http/streaming/send-stream.ts';
import type { ToolChat, ToolRequest } from '../../../services/tools/tool-chat.ts';
import type { DocumentContext } from '../../shared/document-parts.ts';
import { createReadArguments, toolTypes } from '../../shared/model-input.ts';
import { invalid } from '../../shared/read-fields.ts';
import { reportDropped } from '../../shared/start-report.ts';
import { requireToolAccess } from '../../shared/tool-access.ts';
import { responsesDialect, responsesPrefix } from './dialect.ts';
import type { InputItem } from './request/input-items.ts';
import { readItemFiles } from './request/item-content.ts';
import { readApproved } from './request/mcp-tools.ts';
import { ResponsesRequestBody } from './request/responses-request-schema.ts';
import { refuseUnsupported, toResponsesChatInput } from './request/to-chat-input.ts';
import { readTools, type ToolTable } from './request/tool-table.ts';
import { ResponseEvent } from './response/events-schema.ts';
import { toInitialResponse } from './response/initial-response.ts';
import { ResponseBody } from './response/response-schema.ts';
import { applyEvent, runResponse } from './response/run-response.ts';
import { readConversation } from './stored/read-conversation.ts';
import { recordAndPublish } from './stored/record-events.ts';
import type { ResponseRecord } from './stored/response-record.ts';
import type { ResponseStore } from './stored/response-store.ts';

export interface ResponsesRouteOptions {
  readonly toolChat: ToolChat;
  readonly describeCustomTool: DescribeCustomTool;
  readonly store: ResponseStore;
  readonly readDocument?: DocumentContext['readDocument'];
  readonly clock: Clock;
  readonly logger: Logger;
  /** A unique id that nobody can guess: who knows it can read the response. */
  readonly newId: () => string;
  /** Whether conversations that are too long are shortened if requests do not say. */
  readonly truncates?: boolean;
}

export function responsesRoute(options: ResponsesRouteOptions): Route {
  const { toolChat, describeCustomTool, store, readDocument, clock, logger } = options;
  const newId = (prefix: string): string => `${prefix}_${options.newId()}`;

  return {
    dialect: responsesDialect,
    method: 'POST',
    scope: 'infer',
    path: responsesPrefix,
    summary: 'Generate a response',
    metered: true,
    overWebSocket: true,
    body: ResponsesRequestBody,
    response: ResponseBody,
    streams: ResponseEvent,
    async handle(request, reply) {
      const body = request.body as ResponsesRequestBody;
      const channel = channelOf(request);
      if (channel === undefined) return respond(request, reply, body);
      checkMessage(body);
      try {
        return await respond(request, reply, { ...body, stream: true });
      } catch (error) {
        store.dropFrom(channel, body.previous_response_id ?? '');
        throw error;
      }
    },
  };

  async function respond(request: FastifyRequest, reply: FastifyReply, body: ResponsesRequestBody): Promise<unknown> {
    const { report, scope } = request;
    const owner = { key: scope.key, channel: channelOf(request) };
    refuseUnsupported(body);
    const tools = await readTools(body.tools ?? [], describeCustomTool);
    report.ignore(toolTypes(tools.ignoredTypes));
    logUnheld(logger, tools);
    const items = await readConversation(body, { store, newId, ...owner });
    const read = await readItemFiles(items, { readDocument, scope });
    const input = toResponsesChatInput(body, { items: read, tools, truncates: options.truncates });
    const toolRequest = readToolRequest(request, body, { items, tools });
    const initial = toInitialResponse(body, { id: newId('resp'), now: clock.now() });
    const endsWithFailure = initial.background || body.stream === true;
    const knownServers = new Set(
      items.filter(({ type }) => type === 'mcp_list_tools').map((item) => item['server_label']),
    );
    const showsResults = body.include?.includes('file_search_call.results') ?? false;
    const shape = { initial, tools, knownServers, showsResults, clock, newId, logger, endsWithFailure };
    const run = (context: RunContext, onStarted: Parameters<typeof runResponse>[1]['onStarted']) =>
      runResponse(toolChat({ ...input, report: context.report }, toolRequest, context.signal), {
        ...shape,
        ...context,
        onStarted,
      });
    const send = (events: AsyncIterable<object>) => sendStream(reply, events, { dialect: responsesDialect, logger });

    if (initial.background) {
      const record = await startInBackground(request, (context) => run(context, () => {}), {
        store,
        initial,
        input: items,
      });
      return body.stream === true ? send(record.follow(-1)) : record.response();
    }
    const events = run({ report, signal: scope.signal }, (started) => reportDropped(reply, started));
    const record = { initial, input: items, key: scope.key };
    // Without `store`, only requests over the same WebSocket can continue the response.
    const channel = initial.store ? undefined : owner.channel;
    const isRecorded = initial.store || channel !== undefined;
    const recorded = isRecorded ? recordAndPublish(events, store, { ...record, channel }) : events;
    return body.stream === true ? send(recorded) : lastResponse(recorded, initial);
  }
}

function readToolRequest(
  request: FastifyRequest,
  { max_tool_calls: maxCalls }: ResponsesRequestBody,
  { items, tools }: { readonly items: readonly InputItem[]; readonly tools: ToolTable },
): ToolRequest | undefined {
  const { servers, search } = tools;
  if (servers.length === 0 && search === undefined) return undefined;
  if (servers.length > 0) requireToolAccess(request);
  const { key, client } = request.scope;
  return {
    servers,
    approved: servers.length === 0 ? [] : readApproved(items, createReadArguments()),
    maxCalls,
    search: search && { ...search, keyId: key?.id, client },
  };
}

/** A message over a WebSocket. */
function checkMessage({ type, background }: ResponsesRequestBody): void {
  if (type !== 'response.create') throw invalid('type', 'expected "response.create"');
  if (background) throw invalid('background', 'a response over a WebSocket cannot be generated in the background');
}

interface RunContext {
  readonly report: RequestReport;
  readonly signal: AbortSignal;
}

interface BackgroundOptions {
  readonly store: ResponseStore;
  readonly initial: ResponseBody;
  readonly input: ResponseRecord['input'];
}

/** Resolves with the record when it has its first event. The response is generated in the scope of its request. */
async function startInBackground(
  request: FastifyRequest,
  run: (context: RunContext) => AsyncGenerator<ResponseEvent>,
  { store, initial, input }: BackgroundOptions,
): Promise<ResponseRecord> {
  if (!initial.store) throw new HearthError('bad_request', 'background: a response in the background must be stored');
  const controller = new AbortController();
  const { signal } = controller;
  const scope = { ...request.scope, signal };
  const report = request.report.createNext();
  const cancel = (): void => controller.abort();
  const events = recordAndPublish(run({ report, signal }), store, { initial, input, cancel, key: scope.key });
  await runInRequest(scope, () => events.next());
  const record = store.find(initial.id, { key: scope.key });
  if (record === undefined) {
    await events.return(undefined);
    throw new HearthError('busy', 'the store of responses is full of responses that are not finished');
  }
  request.report.continuation = {
    report,
    ended: runInRequest(scope, () => drain(events)),
    cancel: (reason) => controller.abort(reason),
  };
  // The request may have been canceled before its first event.
  if (request.scope.signal.reason instanceof HearthError) controller.abort(request.scope.signal.reason);
  return record;
}

/** Never rejects: a failure is the last event. */
async function drain(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events);
}

async function lastResponse(events: AsyncIterable<ResponseEvent>, initial: ResponseBody): Promise<ResponseBody> {
  let response = initial;
  for await (const event of events) response = applyEvent(response, event);
  return response;
}

const maxLoggedLength = 200;

function logUnheld(logger: Logger, { unheld }: ToolTable): void {
  for (const { name, reason } of unheld)
    logger.info('the format of a custom tool is not enforced', {
      tool: name.slice(0, maxLoggedLength),
      reason: reason.slice(0, maxLoggedLength),
    });
}
