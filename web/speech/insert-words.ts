// Puts words that were said into a text, at the cursor.

interface Selection {
  readonly start: number;
  readonly end: number;
}

/** Replaces what is selected. `cursor` is the place after the words. */
export function insertWords(text: string, { start, end }: Selection, words: string): { text: string; cursor: number } {
  const before = text.slice(0, start);
  const after = text.slice(end);
  const inserted = `${/\S$/.test(before) ? ' ' : ''}${words}${/^[\p{L}\p{N}]/u.test(after) ? ' ' : ''}`;
  return { text: `${before}${inserted}${after}`, cursor: before.length + inserted.length };
}
