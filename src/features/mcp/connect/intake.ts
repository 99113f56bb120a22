// What one MCP server may send: the size of a message, and bytes and messages within a window of time. An endless server is
// ended before other requests of this process wait for it.

import { messageOf } from '../../../base/errors.ts';
import { JsonScanner } from '../../../base/text/json-scanner.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { nanosecondsPerMillisecond } from '../../../base/time/duration.ts';
import { mcpLimits } from '../limits.ts';

export class Intake {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #windowStart = 0;
  #bytes = 0;
  #messages = 0;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Throws if the server has sent too much. */
  countBytes(bytes: number): void {
    const now = this.#clock.monotonic();
    if (now - this.#windowStart > mcpLimits.windowMs * nanosecondsPerMillisecond) {
      this.#windowStart = now;
      this.#bytes = 0;
      this.#messages = 0;
    }
    this.#bytes += bytes;
    if (this.#bytes > mcpLimits.windowBytes) throw new Error('the server sends too much');
  }

  countMessage(): void {
    this.#messages += 1;
    if (this.#messages > mcpLimits.windowMessages) throw new Error('the server sends too many messages');
  }
}

/** Parses a message after its size is known to be bounded. */
export function parseMessage(line: string): unknown {
  try {
    new JsonScanner({ maxValues: mcpLimits.messageValues }).addText(line);
    return JSON.parse(line);
  } catch (error) {
    throw new Error(`the server sends a message that is not JSON or too large: ${messageOf(error).slice(0, 100)}`);
  }
}
