// Decides which waiting request gets the next free slot. Slots go to the clients in turn: a batch job with hundreds of
// requests does not delay an editor with one. Requests of one client keep their order of arrival.

export interface Turns<Waiting extends { readonly client: string }> {
  /** The next of the `waiting` requests, which must not be empty. `live` has the clients that hold slots. */
  next(waiting: readonly Waiting[], live: readonly { readonly client: string }[]): Waiting;
}

export function createTurns<Waiting extends { readonly client: string }>(): Turns<Waiting> {
  let turn = 0;
  // The last turn of each waiting client.
  let lastTurns = new Map<string, number>();

  return {
    next(waiting, live) {
      const slots = new Map<string, number>();
      for (const { client } of live) slots.set(client, (slots.get(client) ?? 0) + 1);
      const rank = ({ client }: Waiting): readonly [number, number] => [
        slots.get(client) ?? 0,
        lastTurns.get(client) ?? 0,
      ];
      const chosen = waiting.reduce((best, one) => (isBefore(rank(one), rank(best)) ? one : best));
      // Clients without waiting requests are dropped, so that the map stays small.
      const present = new Set(waiting.map(({ client }) => client));
      lastTurns = new Map([...lastTurns].filter(([client]) => present.has(client)));
      lastTurns.set(chosen.client, ++turn);
      return chosen;
    },
  };
}

/** Fewest slots first, then the longest time without a turn. */
function isBefore(a: readonly [number, number], b: readonly [number, number]): boolean {
  return a[0] !== b[0] ? a[0] < b[0] : a[1] < b[1];
}
