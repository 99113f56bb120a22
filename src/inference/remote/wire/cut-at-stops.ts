// Ends an answer at stop sequences that the remote does not look for. Text that may be the start of one is held back.

export class StopCutter {
  readonly #stops: readonly string[];
  readonly #longest: number;
  #held = '';

  constructor(stops: readonly string[]) {
    this.#stops = stops;
    this.#longest = stops.reduce((most, stop) => Math.max(most, stop.length), 0);
  }

  /** The text that can be passed on. `stop`: the stop sequence that ends the answer after it. */
  push(text: string): { readonly text: string; readonly stop?: string } {
    this.#held += text;
    const found = firstStop(this.#held, this.#stops);
    const end = found?.start ?? this.#held.length - undecided(this.#held, this.#stops, this.#longest);
    const sure = this.#held.slice(0, end);
    this.#held = this.#held.slice(end);
    return { text: sure, stop: found?.stop };
  }

  /** The text that is held back when the answer has ended. */
  rest(): string {
    const rest = this.#held;
    this.#held = '';
    return rest;
  }
}

interface FoundStop {
  readonly stop: string;
  readonly start: number;
}

/** The one that is complete first, whether or not more text has arrived already; of several, the longest. */
function firstStop(text: string, stops: readonly string[]): FoundStop | undefined {
  const endOf = ({ stop, start }: FoundStop): number => start + stop.length;
  const found = stops
    .map((stop) => ({ stop, start: stop === '' ? -1 : text.indexOf(stop) }))
    .filter(({ start }) => start !== -1);
  return found.sort((a, b) => endOf(a) - endOf(b) || a.start - b.start)[0];
}

/** The number of characters at the end that may be the start of a stop sequence. */
function undecided(text: string, stops: readonly string[], longest: number): number {
  for (let length = Math.min(longest - 1, text.length); length > 0; length--) {
    const end = text.slice(-length);
    if (stops.some((stop) => stop.startsWith(end))) return length;
  }
  return 0;
}
