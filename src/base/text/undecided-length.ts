// Looks for a text that may arrive in parts.

/** The length of the end of `text` that may be the start of `wanted`. */
export function undecidedLength(text: string, wanted: string): number {
  for (let length = Math.min(wanted.length - 1, text.length); length > 0; length--)
    if (text.endsWith(wanted.slice(0, length))) return length;
  return 0;
}
