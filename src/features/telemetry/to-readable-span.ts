// Spans in the form that the processors and exporters of OpenTelemetry take.

import type { HrTime, SpanContext } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { nanosecondsPerMillisecond, nanosecondsPerSecond } from '../../base/time/duration.ts';
import type { SpanRecord } from './span-record.ts';

// The numbers of the API, so that it is not loaded for them.
const kinds = { internal: 0, server: 1, client: 2 } as const;
const noStatus = 0;
const errorStatus = 2;
const sampled = 1;

interface SpanPlace {
  readonly traceId: string;
  /** The system time of the monotonic clock's start, in milliseconds. */
  readonly clockStartMs: number;
  readonly resource: Resource;
  /** The version of Hearth. */
  readonly version: string;
}

export function toReadableSpan(
  span: SpanRecord,
  { traceId, clockStartMs, resource, version }: SpanPlace,
): ReadableSpan {
  const { name, kind, spanId, parentId, from, until, hasFailed } = span;
  const contextOf = (id: string): SpanContext => ({ traceId, spanId: id, traceFlags: sampled });
  const context = contextOf(spanId);
  return {
    name,
    kind: kinds[kind],
    spanContext: () => context,
    ...(parentId === undefined ? {} : { parentSpanContext: contextOf(parentId) }),
    startTime: toHrTime(clockStartMs, from),
    endTime: toHrTime(clockStartMs, until),
    duration: toHrTime(0, until - from),
    status: { code: hasFailed ? errorStatus : noStatus },
    attributes: { ...span.attributes },
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: { name: 'hearth', version },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** Seconds, and the nanoseconds of the last one. */
function toHrTime(milliseconds: number, nanoseconds: number): HrTime {
  const rest = Math.round((milliseconds % 1000) * nanosecondsPerMillisecond) + nanoseconds;
  const seconds = Math.floor(rest / nanosecondsPerSecond);
  return [Math.floor(milliseconds / 1000) + seconds, rest - seconds * nanosecondsPerSecond];
}
