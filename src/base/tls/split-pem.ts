// Splits a PEM file into its blocks. Text between blocks is a comment.

/** The blocks with this label, in order. A block without an end is ignored. */
export function splitPem(text: string, label: string): string[] {
  const begin = `-----BEGIN ${label}-----`;
  const end = `-----END ${label}-----`;
  const blocks: string[] = [];
  for (let from = text.indexOf(begin); from >= 0; ) {
    const to = text.indexOf(end, from);
    if (to < 0) break;
    blocks.push(`${text.slice(from, to + end.length)}\n`);
    from = text.indexOf(begin, to);
  }
  return blocks;
}
