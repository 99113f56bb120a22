// What a server and the guard of a program tell each other.

/** The argument of the guard, as JSON. */
export interface GuardOrder {
  readonly program: string;
  readonly args: readonly string[];
}

/** A line of JSON on the channel. `pid`: also the id of the process group. */
export type GuardMessage = { readonly pid: number } | { readonly ended: string; readonly isMissing?: boolean };

/** The descriptor of the channel. */
export const guardChannel = 3;
