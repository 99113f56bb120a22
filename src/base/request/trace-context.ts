// The trace that a request belongs to, as the W3C recommendation "Trace Context" has it in headers. Any client can send
// them: what is not valid is ignored, and the request starts no trace.

import type { IncomingHttpHeaders } from 'node:http';
import type { RequestWork } from './request-work.ts';

export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The caller's part of the trace. Absent: the trace begins here. */
  readonly parentId?: string;
  /** This server's part of the trace: 16 hexadecimal digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
  /** What other tools keep in the trace. It is handed on as it is. */
  readonly state?: string;
  /** What the request does. Absent: the trace is not exported. */
  readonly work?: RequestWork;
}

const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.{0,200})?$/;
const maxStateLength = 512;
const stateText = /^[\x20-\x7e]+$/;

/** Undefined if the headers name no trace. */
export function traceOfHeaders(headers: IncomingHttpHeaders, newSpanId: () => string): TraceContext | undefined {
  const { traceparent: parent, tracestate } = headers;
  if (typeof parent !== 'string') return undefined;
  const [, traceId, parentId, flags, rest] = traceparent.exec(parent) ?? [];
  if (traceId === undefined || parentId === undefined || flags === undefined) return undefined;
  // Only later versions may have more fields.
  if (rest !== undefined && parent.startsWith('00')) return undefined;
  const state = typeof tracestate === 'string' && isState(tracestate) ? tracestate : undefined;
  return { traceId, parentId, spanId: newSpanId(), isSampled: (Number.parseInt(flags, 16) & 1) === 1, state };
}

function isState(text: string): boolean {
  return text.length <= maxStateLength && stateText.test(text);
}

/** For requests to other servers. */
export function toTraceHeaders({ traceId, spanId, isSampled, state }: TraceContext): Readonly<Record<string, string>> {
  const header = `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
  return state === undefined ? { traceparent: header } : { traceparent: header, tracestate: state };
}
