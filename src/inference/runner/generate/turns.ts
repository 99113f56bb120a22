// Whose request gets the next free place. Places go round between clients: a batch job with hundreds of requests does
// not keep an editor with one of them waiting. Requests of one client go in order of arrival.

export interface Turns<Waiting extends { readonly client: string }> {
  /** Which of those who wait is next; `live` has the clients that have places. At least one has to wait. */
  next(waiting: readonly Waiting[], live: readonly { readonly client: string }[]): Waiting;
}

export function createTurns<Waiting extends { readonly client: string }>(): Turns<Waiting> {
  let turn = 0;
  // When each client of those who wait had its last turn.
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
      // A client that nobody waits for any more starts anew when it comes back.
      const present = new Set(waiting.map(({ client }) => client));
      lastTurns = new Map([...lastTurns].filter(([client]) => present.has(client)));
      lastTurns.set(chosen.client, ++turn);
      return chosen;
    },
  };
}

/** Fewest places first, then the longest time without a turn. */
function isBefore(a: readonly [number, number], b: readonly [number, number]): boolean {
  return a[0] !== b[0] ? a[0] < b[0] : a[1] < b[1];
}
