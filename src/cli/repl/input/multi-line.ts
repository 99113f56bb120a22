// Multi-line messages and system messages in triple quotes.
//
//   """            /set system """You
//   line           answer in verse.
//   line"""        """

const opened = /^\s*(?:\/set\s+system\s+)?"""/;

/** Whether the quotes are still open, so that Enter inserts a line break. */
export function hasOpenQuotes(text: string): boolean {
  const start = opened.exec(text)?.[0];
  if (start === undefined) return false;
  return !text.slice(start.length).trimEnd().endsWith('"""');
}

/** Removes the triple quotes around the text, if any. */
export function withoutQuotes(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith('"""')) return text;
  const inner = trimmed.slice(3);
  return (inner.endsWith('"""') ? inner.slice(0, -3) : inner).replace(/^\n|\n$/g, '');
}
