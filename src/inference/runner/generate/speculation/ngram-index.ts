// Finds where the end of a token list occurred before, in the same list or in another one. Every position is indexed by
// the few tokens before it; positions with the same key are chained, latest first. Finding costs a bounded number of
// comparisons however repetitive the tokens are.

interface Match {
  /** The index of the token that followed the earlier occurrence. */
  readonly next: number;
  /** How many tokens before it are equal to the last ones. */
  readonly length: number;
}

/** Shorter matches say little about the next token. */
export const minMatch = 4;
const maxCandidates = 8;
/** How far from its expected place a match is looked for. Files repeat short pieces, so the nearest is the likeliest. */
const nearby = { before: 8, after: 64 };

export function createNgramIndex() {
  // From the key of the tokens before a position to the last such position.
  let latest = new Map<number, number>();
  // The position with the same key before each position.
  let previous: (number | undefined)[] = [];

  const add = (tokens: readonly number[], position: number): void => {
    const key = keyBefore(tokens, position);
    previous[position] = latest.get(key);
    latest.set(key, position);
  };

  /** Adds all positions but the end, which would match itself, and which nothing follows. */
  const update = (tokens: readonly number[]): void => {
    // A context shift has removed tokens. Entries that are out of date would be harmless, positions out of range not.
    if (previous.length > tokens.length) {
      latest = new Map();
      previous = [];
    }
    for (let position = previous.length; position < tokens.length; position++) {
      if (position < minMatch) previous.push(undefined);
      else add(tokens, position);
    }
  };

  return {
    /**
     * The longest occurrence of the last tokens in `text`, the latest of several. `max` limits the comparison. `text` is
     * the same list in every call. By default, earlier occurrences in the tokens are found.
     */
    find(tokens: readonly number[], max: number, text = tokens): Match | undefined {
      if (tokens.length <= minMatch || max < minMatch) return undefined;
      update(text);
      let best: Match | undefined;
      let position = latest.get(keyBefore(tokens, tokens.length));
      for (let tried = 0; position !== undefined && tried < maxCandidates; tried++) {
        const length = commonEnd(tokens, text, { position, max });
        if (length >= minMatch && length > (best?.length ?? 0)) best = { next: position, length };
        position = previous[position];
      }
      return best;
    },
  };
}

/** The longest occurrence of the last tokens near an expected place, the first of several. */
export function findNear(
  tokens: readonly number[],
  text: readonly number[],
  { from, max }: { readonly from: number; readonly max: number },
): Match | undefined {
  const end = Math.min(from + nearby.after, text.length - 1);
  let best: Match | undefined;
  for (let next = Math.max(from - nearby.before, minMatch); next <= end; next++) {
    const length = commonEnd(tokens, text, { position: next, max });
    if (length >= minMatch && length > (best?.length ?? 0)) best = { next, length };
  }
  return best;
}

/** A hash of the tokens before a position. Different tokens may have the same. */
function keyBefore(tokens: readonly number[], position: number): number {
  let key = 0;
  for (let index = position - minMatch; index < position; index++)
    key = (Math.imul(key, 0x0100_0193) ^ (tokens[index] as number)) | 0;
  return key;
}

/** How many tokens before a position of the text are equal to the last ones. */
function commonEnd(
  tokens: readonly number[],
  text: readonly number[],
  { position, max }: { readonly position: number; readonly max: number },
): number {
  const limit = Math.min(max, position);
  let length = 0;
  while (length < limit && text[position - 1 - length] === tokens[tokens.length - 1 - length]) length++;
  return length;
}
