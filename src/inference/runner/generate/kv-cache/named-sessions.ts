// Conversations that clients name with their requests, as agents do. A name decides only among the evaluated tokens of the
// same client: which of them stay if that client itself needs the room, and which of two equal ones is continued.

export interface NamedTokens {
  /** Whose tokens they are. Absent: unknown. */
  readonly client?: string | undefined;
  /** The conversation that the client names. Absent: it names none. */
  readonly session?: string | undefined;
}

// A conversation that is not continued gives way after so many evictions.
const maxSpared = 32;

/** Whether both belong to one named conversation. */
export function isSameSession(a: NamedTokens, b: NamedTokens): boolean {
  return a.session !== undefined && a.session === b.session;
}

export class SparedSessions {
  /** How often tokens were kept although they were worth least, since their last use. */
  readonly #spared = new WeakMap<NamedTokens, number>();

  /**
   * The first of these tokens, which are worth least. If their client itself needs the room, tokens of that client without a
   * named conversation go first. What another client needs does not depend on names.
   */
  chooseVictim<T extends NamedTokens>(fromLeast: readonly [T, ...T[]], cause: string | undefined): T {
    const [least] = fromLeast;
    const { client, session } = least;
    const spared = this.#spared.get(least) ?? 0;
    if (cause === undefined || client !== cause || session === undefined || spared >= maxSpared) return least;
    const other = fromLeast.find((tokens) => tokens.client === client && tokens.session === undefined);
    if (other === undefined) return least;
    this.#spared.set(least, spared + 1);
    return other;
  }

  /** Counts a use of the tokens. */
  use(tokens: NamedTokens): void {
    this.#spared.delete(tokens);
  }
}
