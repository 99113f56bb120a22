// Decides which waiting request gets the next slot. Slots go to the clients in turn: a batch job with hundreds of
// requests does not delay an editor with one. Requests of one client keep their order.

import { afterTurn, type Rotation, updateRotation } from '../../../../base/rotation.ts';

interface OfClient {
  readonly client: string;
}

export interface Turns {
  /** The next of the `waiting` requests, which must not be empty. `live` has the requests that hold slots. */
  next<Waiting extends OfClient>(waiting: readonly Waiting[], live: readonly OfClient[]): Waiting;
  /** Reports that a request of this client got a slot. */
  taken(client: string): void;
}

export function createTurns(): Turns {
  let rotation: Rotation = [];

  return {
    next(waiting, live) {
      rotation = updateRotation(
        rotation,
        waiting.map(({ client }) => client),
      );
      const slots = countSlots(live);
      const places = new Map(rotation.map((client, place) => [client, place]));
      const rank = ({ client }: OfClient): Rank => [slots.get(client) ?? 0, places.get(client) ?? 0];
      return waiting.reduce((best, one) => (isBefore(rank(one), rank(best)) ? one : best));
    },
    taken(client) {
      rotation = afterTurn(rotation, client);
    },
  };
}

/** The number of slots that each client holds. */
export function countSlots(live: readonly OfClient[]): Map<string, number> {
  const slots = new Map<string, number>();
  for (const { client } of live) slots.set(client, (slots.get(client) ?? 0) + 1);
  return slots;
}

/** Slots of the client, then its place in the rotation. */
type Rank = readonly [slots: number, place: number];

function isBefore(a: Rank, b: Rank): boolean {
  return a[0] !== b[0] ? a[0] < b[0] : a[1] < b[1];
}
