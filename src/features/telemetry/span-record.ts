// A span as plain data: an interval of the monotonic clock with attributes of OpenTelemetry.

export type SpanAttributes = Readonly<Record<string, string | number | boolean | string[] | undefined>>;

export interface SpanRecord {
  readonly name: string;
  /** `server`: work for a caller. `client`: a request to another server. `internal`: a part of the work. */
  readonly kind: 'server' | 'client' | 'internal';
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Absent: the trace begins with it. */
  readonly parentId?: string | undefined;
  readonly from: number;
  readonly until: number;
  readonly attributes: SpanAttributes;
  readonly hasFailed: boolean;
}
