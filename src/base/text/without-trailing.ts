/** The text without the characters at its end that match. An expression such as /x+$/ takes quadratic time. */
export function withoutTrailing(text: string, character: RegExp): string {
  let end = text.length;
  while (end > 0 && character.test(text[end - 1] as string)) end--;
  return text.slice(0, end);
}
