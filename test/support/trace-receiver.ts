// A collector of traces: an HTTP server that takes OTLP in JSON, as the specification has it.

import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

interface WireValue {
  readonly stringValue?: string;
  readonly intValue?: string | number;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
  readonly arrayValue?: { readonly values: readonly WireValue[] };
}

interface WireAttribute {
  readonly key: string;
  readonly value: WireValue;
}

interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly WireAttribute[];
  readonly status: { readonly code?: number };
}

interface WireTraces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly WireAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

export interface ReceivedSpan extends Pick<WireSpan, 'traceId' | 'spanId' | 'name' | 'kind'> {
  /** Empty: the trace begins with it. */
  readonly parentId: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
  /** Nanoseconds since the epoch. */
  readonly from: bigint;
  readonly until: bigint;
  readonly status: number;
}

/** `hangs`: requests are never answered. */
export async function startTraceReceiver({ hangs = false } = {}) {
  const spans: ReceivedSpan[] = [];
  const requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
  const server = createServer(async (request, response) => {
    requests.push({ path: request.url ?? '', headers: request.headers });
    if (hangs) return;
    let text = '';
    for await (const chunk of request) text += chunk;
    spans.push(...readSpans(JSON.parse(text) as WireTraces));
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function readSpans({ resourceSpans }: WireTraces): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ parentSpanId = '', attributes, startTimeUnixNano, endTimeUnixNano, status, ...span }) => ({
        ...span,
        parentId: parentSpanId,
        attributes: toRecord(attributes),
        resource: toRecord(resource.attributes),
        from: BigInt(startTimeUnixNano),
        until: BigInt(endTimeUnixNano),
        status: status.code ?? 0,
      })),
    ),
  );
}

function toRecord(attributes: readonly WireAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, toPlain(value)]));
}

function toPlain({ stringValue, intValue, doubleValue, boolValue, arrayValue }: WireValue): unknown {
  if (arrayValue !== undefined) return arrayValue.values.map(toPlain);
  return intValue === undefined ? (stringValue ?? doubleValue ?? boolValue) : Number(intValue);
}
