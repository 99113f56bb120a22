// The last tokens of an answer, in which something is looked for. Bytes are compared, as strings in latin1, because tokens
// can split characters.

export interface WatchedToken {
  readonly token: number;
  /** Bytes in latin1. */
  readonly text: string;
}

export interface WatchedText {
  /** The first token may have text before what is watched. */
  readonly recent: readonly WatchedToken[];
  /** Length of the text in `recent` that was ruled out. */
  readonly skipped: number;
}

export const noText: WatchedText = { recent: [], skipped: 0 };

/** Not \s, which includes a byte of other characters. */
export const blanks = /[ \t\r\n]/g;
export const leadingBlanks = /^[ \t\r\n]+/;

export function addToken<Text extends WatchedText>(text: Text, next: WatchedToken): Text {
  return { ...text, recent: [...text.recent, next] };
}

export function textOf({ recent, skipped }: WatchedText): string {
  return recent
    .map(({ text }) => text)
    .join('')
    .slice(skipped);
}

/** Drops the tokens that end before `at`. */
export function cutBefore({ recent }: WatchedText, at: number): WatchedText {
  let start = 0;
  let index = 0;
  for (; index < recent.length; index++) {
    const length = (recent[index] as WatchedToken).text.length;
    if (start + length > at) break;
    start += length;
  }
  return { recent: recent.slice(index), skipped: at - start };
}

/** Drops the tokens that are not part of the last `length` bytes. */
export function keepEnd<Text extends WatchedText>(watched: Text, length: number): Text {
  const total = watched.recent.reduce((sum, { text }) => sum + text.length, 0);
  const end = Math.max(watched.skipped, total - length);
  return { ...watched, ...cutBefore(watched, end) };
}

export function toBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}
