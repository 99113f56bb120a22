// Decides which waiting request gets the next slot. Clients get slots in rotation: a batch job with hundreds of requests does
// not delay an editor with one. A client with a weight of 3 gets three slots where others get one. Requests of one client
// keep their order.

interface OfClient {
  readonly client: string;
  /** Absent: 1. */
  readonly weight?: number;
}

/** When a client is due, in units of slots of a client with weight 1. */
interface Due {
  at: number;
  /** Counts changes. If two clients are due at the same time, the one that waits for longer goes first. */
  since: number;
}

/** Slots of the client in relation to its weight, then when it is due. */
type Rank = readonly [slots: number, at: number, since: number];

export class SlotOrder {
  #dues = new Map<string, Due>();
  /** The time at which the last client was due. */
  #now = 0;
  #changes = 0;

  /** The next of the `waiting` requests, which must not be empty. `live` has the requests that hold slots. */
  next<Waiting extends OfClient>(waiting: readonly Waiting[], live: readonly OfClient[]): Waiting {
    this.#update(waiting);
    const slots = countSlots(live);
    const rank = ({ client, weight = 1 }: OfClient): Rank => {
      const { at = 0, since = 0 } = this.#dues.get(client) ?? {};
      return [Math.floor((slots.get(client) ?? 0) / weight), at, since];
    };
    return waiting.reduce((best, one) => (isBefore(rank(one), rank(best)) ? one : best));
  }

  /** Reports that this request got a slot. */
  taken({ client, weight = 1 }: OfClient): void {
    const due = this.#dues.get(client);
    if (due === undefined) return;
    this.#now = Math.max(this.#now, due.at);
    due.at = this.#now + 1 / weight;
    due.since = this.#changes++;
  }

  /** Clients that do not wait any more are forgotten. A new one is due after one slot of its own. */
  #update(waiting: readonly OfClient[]): void {
    const known = this.#dues;
    this.#dues = new Map();
    for (const { client, weight = 1 } of waiting) {
      if (this.#dues.has(client)) continue;
      this.#dues.set(client, known.get(client) ?? { at: this.#now + 1 / weight, since: this.#changes++ });
    }
  }
}

/** The number of slots that each client holds. */
export function countSlots(live: readonly OfClient[]): Map<string, number> {
  const slots = new Map<string, number>();
  for (const { client } of live) slots.set(client, (slots.get(client) ?? 0) + 1);
  return slots;
}

function isBefore(a: Rank, b: Rank): boolean {
  const index = a.findIndex((value, place) => value !== b[place]);
  return index !== -1 && (a[index] as number) < (b[index] as number);
}
