// Clients that take turns, first the one that is next. A client joins at the end when it begins to wait and goes to the
// end after its turn, so every other client goes at most once before it, also if new clients keep arriving.

export type Rotation = readonly string[];

/** The rotation of the clients that wait now. A client may occur several times in `waiting`. */
export function updateRotation(rotation: Rotation, waiting: Iterable<string>): Rotation {
  const present = new Set(waiting);
  const known = new Set(rotation);
  return [...rotation.filter((client) => present.has(client)), ...[...present].filter((client) => !known.has(client))];
}

export function afterTurn(rotation: Rotation, client: string): Rotation {
  return [...rotation.filter((other) => other !== client), client];
}
