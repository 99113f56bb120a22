// The kinds of tokens in llama.cpp's vocabularies.

export const tokenTypes = { normal: 1, unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 } as const;

export type TokenType = (typeof tokenTypes)[keyof typeof tokenTypes];

/** Some tokenizers do not mark these as special, but a text must not contain them. */
export function looksSpecial(token: string): boolean {
  return (
    ['<pad>', '<mask>', '<2mass>', '[@BOS@]'].includes(token) ||
    (token.startsWith('<|') && token.endsWith('|>')) ||
    (token.startsWith('<｜') && token.endsWith('｜>')) ||
    (token.startsWith('<unused') && token.endsWith('>'))
  );
}

/** User-defined tokens are compared with the text before its spaces are replaced. */
export function withSpaces(token: string): string {
  return token.replaceAll('▁', ' ');
}
