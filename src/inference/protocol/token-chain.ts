// The tokens of a prompt as a chain of blocks: the number of a block covers all tokens before it. Engines have hashes of
// their own, which depend on their configuration; these are computed here from the tokens, for all endpoints alike. Two
// prompts with the same number would only be sent to the wrong place.

/** The number before the first block. */
export const chainStart = 0;

/** A number of 53 bits (cyrb53). */
export function nextLink(previous: number, tokens: ArrayLike<number>, from: number, until: number): number {
  let one = 0xdeadbeef ^ previous;
  let other = 0x41c6ce57 ^ Math.floor(previous / 2 ** 32);
  for (let index = from; index < until; index++) {
    const token = tokens[index] as number;
    one = Math.imul(one ^ token, 2654435761);
    other = Math.imul(other ^ token, 1597334677);
  }
  one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(other ^ (other >>> 13), 3266489909);
  other = Math.imul(other ^ (other >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909);
  return 2 ** 32 * (other & 0x1fffff) + (one >>> 0);
}

/** The numbers of the complete blocks. */
export function chainOf(tokens: readonly number[], blockSize: number): readonly number[] {
  const chain: number[] = [];
  let link = chainStart;
  for (let end = blockSize; end <= tokens.length; end += blockSize) {
    link = nextLink(link, tokens, end - blockSize, end);
    chain.push(link);
  }
  return chain;
}
