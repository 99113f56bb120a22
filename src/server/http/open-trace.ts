// The trace of a request: that of its caller, or a new one if traces are exported.

import type { IncomingHttpHeaders } from 'node:http';
import { RequestWork } from '../../base/request/request-work.ts';
import { type TraceContext, traceOfHeaders } from '../../base/request/trace-context.ts';
import type { Clock } from '../../base/time/clock.ts';

export interface TraceExport {
  /** Whether a request that belongs to no trace begins one that is exported. */
  samples(): boolean;
}

interface TraceParts {
  readonly clock: Clock;
  /** Ids of 64 bits. */
  readonly newId: () => string;
  /** Absent: traces are not exported. */
  readonly traceExport?: TraceExport | undefined;
}

/** `isMetered`: the request asks a model. Others are not exported. */
export function openTrace(
  headers: IncomingHttpHeaders,
  isMetered: boolean,
  { clock, newId, traceExport }: TraceParts,
): TraceContext | undefined {
  const given = traceOfHeaders(headers, newId);
  if (traceExport === undefined || !isMetered) return given;
  const trace = given ?? { traceId: newId() + newId(), spanId: newId(), isSampled: traceExport.samples() };
  return trace.isSampled ? { ...trace, work: new RequestWork(clock, newId) } : trace;
}
