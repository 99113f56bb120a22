// The place of a searched text in another one.

/** What comes before it, the text itself and what comes after it. The last two are empty if it is not there. */
export function splitAt(text: string, wanted: string): [before: string, found: string, after: string] {
  const lower = text.toLowerCase();
  const at = wanted === '' || lower.length !== text.length ? -1 : lower.indexOf(wanted.toLowerCase());
  if (at === -1) return [text, '', ''];
  const end = at + wanted.length;
  return [text.slice(0, at), text.slice(at, end), text.slice(end)];
}
