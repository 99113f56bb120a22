// Decides which waiting request gets the next slot. Slots go to the clients in turn: a batch job with hundreds of
// requests does not delay an editor with one. A client with a weight of 3 gets three turns where others get one.
// Requests of one client keep their order.

interface OfClient {
  readonly client: string;
  /** Absent: 1. */
  readonly weight?: number;
}

export interface Turns {
  /** The next of the `waiting` requests, which must not be empty. `live` has the requests that hold slots. */
  next<Waiting extends OfClient>(waiting: readonly Waiting[], live: readonly OfClient[]): Waiting;
  /** Reports that this request got a slot. */
  taken(request: OfClient): void;
}

/** When a client's turn is due, in units of turns of a client with weight 1. */
interface Due {
  at: number;
  /** Counts changes. Of two clients that are due at the same time, the one that waits for longer goes first. */
  since: number;
}

export function createTurns(): Turns {
  let dues = new Map<string, Due>();
  // The time at which the last turn was due.
  let now = 0;
  let changes = 0;

  /** Clients that do not wait any more are forgotten. A new one goes after one turn of its own. */
  const update = (waiting: readonly OfClient[]): void => {
    const known = dues;
    dues = new Map();
    for (const { client, weight = 1 } of waiting)
      if (!dues.has(client)) dues.set(client, known.get(client) ?? { at: now + 1 / weight, since: changes++ });
  };

  return {
    next(waiting, live) {
      update(waiting);
      const slots = countSlots(live);
      const rank = ({ client, weight = 1 }: OfClient): Rank => {
        const { at = 0, since = 0 } = dues.get(client) ?? {};
        return [Math.floor((slots.get(client) ?? 0) / weight), at, since];
      };
      return waiting.reduce((best, one) => (isBefore(rank(one), rank(best)) ? one : best));
    },
    taken({ client, weight = 1 }) {
      const due = dues.get(client);
      if (due === undefined) return;
      now = Math.max(now, due.at);
      due.at = now + 1 / weight;
      due.since = changes++;
    },
  };
}

/** The number of slots that each client holds. */
export function countSlots(live: readonly OfClient[]): Map<string, number> {
  const slots = new Map<string, number>();
  for (const { client } of live) slots.set(client, (slots.get(client) ?? 0) + 1);
  return slots;
}

/** Slots of the client in relation to its weight, then when its turn is due. */
type Rank = readonly [slots: number, at: number, since: number];

function isBefore(a: Rank, b: Rank): boolean {
  const index = a.findIndex((value, place) => value !== b[place]);
  return index !== -1 && (a[index] as number) < (b[index] as number);
}
