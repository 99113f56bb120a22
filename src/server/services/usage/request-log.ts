// The last requests with their prompts and answers, in memory. The operator switches it on to look for an error.

import type { Exchange } from '../../../base/request/request-report.ts';
import type { UsageRecord } from './usage-record.ts';

export interface LoggedExchanges extends UsageRecord {
  readonly id: string;
  /** The path of the route. */
  readonly endpoint: string;
  /** Empty for a request that generated nothing, such as one for embeddings. */
  readonly exchanges: readonly Exchange[];
}

export interface RequestLog {
  /** The number of requests that are kept; 0: none, the log is off. */
  readonly maxRequests: number;
  add(request: LoggedExchanges): void;
  /** The last one first. */
  list(): readonly LoggedExchanges[];
}

export interface RequestLogOptions {
  readonly maxRequests: number;
  /** Of all texts together. */
  readonly maxBytes?: number;
}

const defaultMaxBytes = 64 * 2 ** 20;
// What an entry takes besides its texts.
const entryBytes = 1024;

export function createRequestLog({ maxRequests, maxBytes = defaultMaxBytes }: RequestLogOptions): RequestLog {
  const entries: LoggedExchanges[] = [];
  let bytes = 0;
  return {
    maxRequests,
    add(request) {
      entries.push(request);
      bytes += bytesOf(request);
      while (entries.length > maxRequests || bytes > maxBytes) bytes -= bytesOf(entries.shift() as LoggedExchanges);
    },
    list: () => entries.toReversed(),
  };
}

/** JavaScript has two bytes per character, or fewer. */
function bytesOf({ exchanges }: LoggedExchanges): number {
  return exchanges.reduce((sum, { prompt, answer }) => sum + 2 * (prompt.length + answer.length), entryBytes);
}
