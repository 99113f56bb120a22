// The copy of an answer that other servers can read. Objects are written behind the answer, which never waits for them. What
// cannot be written for too long is left out: readers elsewhere are told so.

import type { HearthError } from '../../../base/errors.ts';
import { runOutsideRequests } from '../../../base/request/request-scope.ts';
import type { SharedStreams, StreamPart } from '../../../base/state/shared-state.ts';
import type { Clock, Timer } from '../../../base/time/clock.ts';

interface StreamCopyOptions {
  readonly streams: SharedStreams;
  readonly clock: Pick<Clock, 'after'>;
  readonly id: string;
  /** The client whose answer it is. */
  readonly owner: string;
  /** Milliseconds that the answer is kept after its end. */
  readonly keptFor: number;
  /** The number of the first object that is kept. */
  readonly first: () => number;
}

const maxWaiting = 20_000;
const maxParts = 500;
/** Tokens come faster than the database needs to know. */
const gapMs = 30;
const retryMs = 1000;
const renewMs = 15_000;

export class StreamCopy {
  readonly #options: StreamCopyOptions;
  #waiting: StreamPart[] = [];
  #next = 0;
  #end: { readonly error: HearthError | undefined } | undefined;
  #writing = false;
  #isOver = false;
  #timer: Timer | undefined;
  #renewal: Timer | undefined;

  constructor(options: StreamCopyOptions) {
    this.#options = options;
    this.#renewLater();
  }

  append(object: object): void {
    this.#waiting.push({ number: this.#next, text: JSON.stringify(object) });
    this.#next++;
    if (this.#waiting.length > maxWaiting) this.#waiting.shift();
    this.#writeAfter(gapMs);
  }

  end(error?: HearthError): void {
    this.#end ??= { error };
    this.#writeAfter(0);
  }

  /** Nobody can read it any more. */
  remove(): void {
    this.#stop();
    const { streams, id } = this.#options;
    void streams.remove(id).catch(() => {});
  }

  /** Whether a client of another server reads it. */
  async isRead(): Promise<boolean> {
    const { streams, id } = this.#options;
    return streams.isRead(id).catch(() => false);
  }

  #writeAfter(milliseconds: number): void {
    if (this.#writing || this.#isOver || this.#timer !== undefined) return;
    this.#timer = this.#options.clock.after(milliseconds, () => {
      this.#timer = undefined;
      void runOutsideRequests(() => this.#write());
    });
  }

  async #write(): Promise<void> {
    const { streams, id, owner, keptFor } = this.#options;
    this.#writing = true;
    const parts = this.#waiting.splice(0, maxParts);
    let isWritten = true;
    try {
      if (parts.length > 0) await streams.append({ id, owner, first: this.#options.first(), parts });
      else if (this.#end !== undefined) {
        const { error } = this.#end;
        const text = error && JSON.stringify({ code: error.code, message: error.message });
        await streams.end(id, text, Math.min(keptFor, maxKeptMs));
        this.#stop();
      }
    } catch {
      this.#waiting = [...parts, ...this.#waiting];
      isWritten = false;
    }
    this.#writing = false;
    if (this.#waiting.length > 0 || this.#end !== undefined) this.#writeAfter(isWritten ? 0 : retryMs);
  }

  /** A database that was away must learn soon afterwards that this server has not ended. */
  #renewLater(milliseconds = renewMs): void {
    const { clock, streams, id } = this.#options;
    if (this.#isOver) return;
    this.#renewal = clock.after(milliseconds, () => {
      streams.renew([id]).then(
        () => this.#renewLater(),
        () => this.#renewLater(retryMs),
      );
    });
  }

  #stop(): void {
    this.#isOver = true;
    this.#timer?.cancel();
    this.#renewal?.cancel();
  }
}

const maxKeptMs = 24 * 3_600_000;
