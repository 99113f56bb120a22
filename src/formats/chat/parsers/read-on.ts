// Reads a text in steps until it ends, or until more of it is needed.

/** How far the text was read, and whether more text is needed. */
export interface Progress {
  readonly end: number;
  readonly isOpen: boolean;
}

/** Returns the rest that waits for more text. */
export function readOn(text: string, read: (at: number) => Progress): string {
  let at = 0;
  let isOpen = false;
  while (at < text.length && !isOpen) {
    const progress = read(at);
    at = progress.end;
    isOpen = progress.isOpen;
  }
  return text.slice(at);
}
