// Matches entries of settings such as `https://*.example.org`. Not a regular expression: the text comes from a caller.

/** `*` in the pattern stands for any text; a second one is an ordinary character. */
export function matchesWildcard(pattern: string, text: string): boolean {
  const at = pattern.indexOf('*');
  if (at === -1) return pattern === text;
  const [before, after] = [pattern.slice(0, at), pattern.slice(at + 1)];
  return text.length >= before.length + after.length && text.startsWith(before) && text.endsWith(after);
}
