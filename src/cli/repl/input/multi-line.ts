// Three quotes around a message of several lines, or around a system text.
//
//   """            /set system """You
//   line           answer in verse.
//   line"""        """

const opened = /^\s*(?:\/set\s+system\s+)?"""/;

/** Whether Enter should begin another line: the quotes are open. */
export function isUnfinished(text: string): boolean {
  const start = opened.exec(text)?.[0];
  if (start === undefined) return false;
  return !text.slice(start.length).trimEnd().endsWith('"""');
}

/** The text without the quotes around it, where there are any. */
export function withoutQuotes(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith('"""')) return text;
  const inner = trimmed.slice(3);
  return (inner.endsWith('"""') ? inner.slice(0, -3) : inner).replace(/^\n|\n$/g, '');
}
