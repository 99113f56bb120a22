// What Tab inserts after the word before the cursor.

export interface InputCompletion {
  /** The word so far. */
  readonly word: string;
  /** Words that begin with it, without duplicates. */
  readonly candidates: readonly string[];
}

/** The text to insert after the word: the rest of the only candidate and a space, or what all have in common. */
export function insertedText({ word, candidates }: InputCompletion): string {
  const [first = word, ...others] = candidates;
  if (candidates.length === 1) return `${first.slice(word.length)} `;
  let length = first.length;
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length--;
  return first.slice(word.length, length);
}
