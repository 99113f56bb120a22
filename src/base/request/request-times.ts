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

/** A part of the time, without those that took none. */
export interface TimedPart {
  readonly name: keyof RequestParts;
  readonly from: number;
  readonly until: number;
}

export class RequestTimes {
  /** A time of the monotonic clock, as all others here. */
  readonly arrivedAt: number;
  readonly #whole: RequestTimes | undefined;
  #acquiredAt: number | undefined;
  #begunAt: number | undefined;
  #firstTextAt: number | undefined;
  #load: Span | undefined;

  constructor(arrivedAt: number, whole?: RequestTimes) {
    this.arrivedAt = arrivedAt;
    this.#whole = whole;
  }

  /** For one of several answers, which has times of its own. They count for the request, too. */
  ofAnswer(startedAt: number): RequestTimes {
    return new RequestTimes(startedAt, this);
  }

  /** The request has its model. `load`: when the model was loaded. Absent: a remote has it. */
  acquired(at: number, load?: Span): void {
    this.#whole?.acquired(at, load);
    if (this.#acquiredAt !== undefined) return;
    this.#acquiredAt = at;
    this.#load = load && { from: Math.max(load.from, this.arrivedAt), until: Math.min(load.until, at) };
  }

  /** The runner has started to evaluate the prompt. Not called for remotes, which do not say it. */
  begun(at: number): void {
    this.#whole?.begun(at);
    this.#begunAt ??= at;
  }

  text(at: number): void {
    this.#whole?.text(at);
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
  /** When each part was. The queue is in two parts if a load came between. */
  timelineUntil(now: number): readonly TimedPart[] {
    const acquiredAt = this.#acquiredAt ?? now;
    const begunAt = this.#begunAt ?? acquiredAt;
    const firstTextAt = this.#firstTextAt ?? now;
    const { from = begunAt, until = begunAt } = this.#load ?? {};
    const parts: readonly TimedPart[] = [
      { name: 'queue', from: this.arrivedAt, until: from },
      { name: 'load', from, until },
      { name: 'queue', from: until, until: begunAt },
      { name: 'prompt', from: begunAt, until: firstTextAt },
      { name: 'generation', from: firstTextAt, until: now },
    ];
    return parts.filter((part) => part.until > part.from);
  }
}
