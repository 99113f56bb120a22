// Finds literals (tags, end tags, tool names) in streamed text. Text that may still become a literal, or a longer one,
// has to wait.

export const partial = Symbol('partial');

export function createLiteralMatcher(literals: Iterable<string>) {
  const byFirst = new Map<string, string[]>();
  const longestFirst = [...new Set(literals)].sort((a, b) => b.length - a.length);
  for (const literal of longestFirst) {
    const first = literal[0];
    const group = first === undefined ? undefined : byFirst.get(first);
    if (group) group.push(literal);
    else if (first !== undefined) byFirst.set(first, [literal]);
  }

  /** The longest literal that starts at `at`; `partial` if more text could change the result. */
  const match = (text: string, at: number, ended: boolean): string | typeof partial | undefined => {
    const candidates = byFirst.get(text[at] ?? '') ?? [];
    if (!ended && candidates.some((literal) => isPartial(text, at, literal))) return partial;
    return candidates.find((literal) => text.startsWith(literal, at));
  };

  return {
    match,
    /** The start of the first literal, or of text that may become one; the end of the text if there is none. */
    find(text: string, from: number, ended: boolean): number {
      for (let at = from; at < text.length; at++) {
        if (byFirst.has(text[at] as string) && match(text, at, ended) !== undefined) return at;
      }
      return text.length;
    },
  };
}

export type LiteralMatcher = ReturnType<typeof createLiteralMatcher>;

function isPartial(text: string, at: number, literal: string): boolean {
  return literal.length > text.length - at && literal.startsWith(text.slice(at));
}

/** The index of the first character from `from` that is not white space. */
export function skipWhiteSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isBlank(text[at] as string)) at++;
  return at;
}

function isBlank(char: string): boolean {
  return char.trim() === '';
}
