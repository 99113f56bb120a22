// The times of a request that asks a model: when it got the model, when its work began, when its first text came. They
// divide the time of the request into parts without a gap. An answer with several choices counts as one.

interface Span {
  readonly from: number;
  readonly until: number;
}

/** Nanoseconds. Their sum is the time since the arrival. */
interface RequestParts {
  /** Waits for a place: in the queue of the server, and in that of the runner. */
  readonly queue: number;
  /** The model was loaded, for this request or for another one. */
  readonly load: number;
  readonly prompt: number;
  readonly generation: number;
}

export class RequestTimes {
  /** A time of the monotonic clock, as all others here. */
  readonly arrivedAt: number;
  #acquiredAt: number | undefined;
  #begunAt: number | undefined;
  #firstTextAt: number | undefined;
  #load: Span | undefined;

  constructor(arrivedAt: number) {
    this.arrivedAt = arrivedAt;
  }

  /** The request has its model. `load`: when the model was loaded. Absent: a remote has it. */
  acquired(at: number, load?: Span): void {
    if (this.#acquiredAt !== undefined) return;
    this.#acquiredAt = at;
    this.#load = load && { from: Math.max(load.from, this.arrivedAt), until: Math.min(load.until, at) };
  }

  /** The runner has started to evaluate the prompt. Not called for remotes, which do not say it. */
  begun(at: number): void {
    this.#begunAt ??= at;
  }

  text(at: number): void {
    this.#firstTextAt ??= at;
  }

  /** Undefined if the request has no model. */
  partsUntil(now: number): RequestParts | undefined {
    if (this.#acquiredAt === undefined) return undefined;
    const begunAt = this.#begunAt ?? this.#acquiredAt;
    const firstTextAt = this.#firstTextAt ?? now;
    const load = this.#load === undefined ? 0 : Math.max(0, this.#load.until - this.#load.from);
    return {
      queue: begunAt - this.arrivedAt - load,
      load,
      prompt: firstTextAt - begunAt,
      generation: now - firstTextAt,
    };
  }
}
