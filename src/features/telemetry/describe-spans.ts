// The spans of a request, with the names of OpenTelemetry's semantic conventions for HTTP and generative AI. These change:
// the attributes `gen_ai.*` are in development.
//
//   POST /api/chat                      the request
//   ├ chat qwen3:4b                     an answer
//   │ ├ queue, load, prompt, generation
//   ├ execute_tool weather              a tool that the server has called
//   └ chat qwen3                        a request to a remote

import type { AnswerWork, RemoteWork, ToolWork } from '../../base/request/request-work.ts';
import { nanosecondsPerSecond } from '../../base/time/duration.ts';
import type { FinishedRequest } from '../../server/http/request-end.ts';
import type { SpanAttributes, SpanRecord } from './span-record.ts';

type Described = Pick<FinishedRequest, 'id' | 'method' | 'endpoint' | 'status' | 'outcome' | 'trace' | 'exchanges'> &
  Pick<FinishedRequest, 'arrivedAt' | 'seconds'>;

const operationNames = { chat: 'chat', complete: 'text_completion', embed: 'embeddings' } as const;

/** None if the trace is not exported. */
export function describeSpans(request: Described): readonly SpanRecord[] {
  const { trace } = request;
  const { work } = trace ?? {};
  if (trace === undefined || work === undefined) return [];
  const parentId = trace.spanId;
  const newId = (): string => work.newSpanId();
  return [
    requestSpan(request, trace),
    ...work.pieces.flatMap((piece) => {
      if (piece.type === 'tool') return [toolSpan(piece, { spanId: newId(), parentId })];
      if (piece.type === 'remote') return [remoteSpan(piece, parentId)];
      return answerSpans(piece, parentId, newId);
    }),
  ];
}

const lastClientError = 499;

function requestSpan(request: Described, { spanId, parentId }: NonNullable<Described['trace']>): SpanRecord {
  const { id, method, endpoint, status, outcome, arrivedAt, seconds, exchanges } = request;
  return {
    name: `${method} ${endpoint}`,
    kind: 'server',
    ...{ spanId, parentId },
    from: arrivedAt,
    until: arrivedAt + Math.round(seconds * nanosecondsPerSecond),
    attributes: {
      'http.request.method': method,
      'http.route': endpoint,
      'http.response.status_code': status,
      'hearth.request.id': id,
      'error.type': outcome === 'ok' ? undefined : outcome,
      ...textsOf(exchanges),
    },
    // What the caller has done wrong, or ended, is no failure of the server.
    hasFailed: status > lastClientError || (outcome !== 'ok' && outcome !== 'cancelled' && status < 400),
  };
}

/** The texts are empty unless the settings say that they are kept. */
function textsOf(exchanges: Described['exchanges']): SpanAttributes {
  if (exchanges.length === 0) return {};
  const toMessages = (role: string, texts: readonly string[]): string =>
    JSON.stringify(texts.map((content) => ({ role, parts: [{ type: 'text', content }] })));
  return {
    'gen_ai.input.messages': toMessages(
      'user',
      exchanges.map(({ prompt }) => prompt),
    ),
    'gen_ai.output.messages': toMessages(
      'assistant',
      exchanges.map(({ answer }) => answer),
    ),
  };
}

function answerSpans(piece: AnswerWork, parentId: string, newId: () => string): readonly SpanRecord[] {
  const { requested, model, from, until, parts, failure, reason } = piece;
  const spanId = newId();
  const operation = operationNames[piece.operation];
  const generation = parts.find(({ name }) => name === 'generation');
  const answer: SpanRecord = {
    name: `${operation} ${requested}`,
    kind: 'internal',
    ...{ spanId, parentId, from, until },
    attributes: {
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': 'hearth',
      'gen_ai.request.model': requested,
      'gen_ai.response.model': model,
      'gen_ai.usage.input_tokens': piece.promptTokens,
      'gen_ai.usage.cache_read.input_tokens': piece.cachedTokens,
      ...(piece.operation === 'embed' ? {} : outputCounts(piece)),
      'gen_ai.response.finish_reasons': reason === undefined ? undefined : [reason],
      'gen_ai.response.time_to_first_chunk': generation && (generation.from - from) / nanosecondsPerSecond,
      'error.type': failure,
    },
    hasFailed: failure !== undefined,
  };
  const phases = parts.map((part): SpanRecord => {
    const { name, from, until } = part;
    return { name, kind: 'internal', spanId: newId(), parentId: spanId, from, until, attributes: {}, hasFailed: false };
  });
  return [answer, ...phases];
}

function outputCounts({ generatedTokens, thinkingTokens }: AnswerWork): SpanAttributes {
  return {
    'gen_ai.usage.output_tokens': generatedTokens,
    'gen_ai.usage.reasoning.output_tokens': thinkingTokens === 0 ? undefined : thinkingTokens,
  };
}

function toolSpan(piece: ToolWork, ids: Pick<SpanRecord, 'spanId' | 'parentId'>): SpanRecord {
  const { server, tool, callId, from, until, failure } = piece;
  return {
    name: `execute_tool ${tool}`,
    kind: 'internal',
    ...ids,
    ...{ from, until },
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool,
      'gen_ai.tool.call.id': callId,
      'gen_ai.tool.type': 'function',
      'hearth.tool.server': server,
      'error.type': failure,
    },
    hasFailed: failure !== undefined,
  };
}

function remoteSpan(piece: RemoteWork, parentId: string): SpanRecord {
  const { spanId, remote, kind, url, model, from, until, failure } = piece;
  const { hostname, port, protocol } = new URL(url);
  return {
    name: `chat ${model}`,
    kind: 'client',
    ...{ spanId, parentId, from, until },
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': kind,
      'gen_ai.request.model': model,
      'server.address': hostname,
      'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
      'hearth.remote': remote,
      'error.type': failure,
    },
    hasFailed: failure !== undefined && failure !== 'canceled',
  };
}
