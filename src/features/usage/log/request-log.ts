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

const defaultMaxBytes = 64 * 2 ** 20;
// What an entry takes besides its texts.
const entryBytes = 1024;

export class RequestLog {
  /** The number of requests that are kept; 0: none, the log is off. */
  readonly maxRequests: number;
  readonly #maxBytes: number;
  readonly #entries: LoggedExchanges[] = [];
  #bytes = 0;

  /** `maxBytes`: for all texts together. */
  constructor(maxRequests: number, maxBytes = defaultMaxBytes) {
    this.maxRequests = maxRequests;
    this.#maxBytes = maxBytes;
  }

  add(request: LoggedExchanges): void {
    this.#entries.push(request);
    this.#bytes += bytesOf(request);
    while (this.#entries.length > this.maxRequests || this.#bytes > this.#maxBytes)
      this.#bytes -= bytesOf(this.#entries.shift() as LoggedExchanges);
  }

  /** The last one first. */
  list(): readonly LoggedExchanges[] {
    return this.#entries.toReversed();
  }
}

/** JavaScript has two bytes per character, or fewer. */
function bytesOf({ exchanges }: LoggedExchanges): number {
  return exchanges.reduce((sum, { prompt, answer }) => sum + 2 * (prompt.length + answer.length), entryBytes);
}
