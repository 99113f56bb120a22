// DRY: penalizes tokens that would continue a repetition of earlier text, the more the longer it is. Sequence breakers
// are texts that no repetition extends over, such as line breaks. llama.cpp's own sampler compares every breaker with the
// entire vocabulary when a request starts, and looks up every token; this one visits only the recent tokens.

import type { Vocabulary } from '../../llama/vocabulary.ts';

export interface DrySettings {
  /** 0: off. */
  readonly multiplier: number;
  readonly base: number;
  /** Repetitions of fewer tokens are not penalized. */
  readonly allowedLength: number;
  /** How many tokens to look back. Negative: the entire context. */
  readonly window: number;
  readonly breakers: readonly string[];
}

interface DrySources {
  readonly contextLength: number;
  readonly vocabulary: Pick<Vocabulary, 'pieceOf'>;
}

// A choice takes time in proportion to it, and all requests wait.
const maxWindow = 16_384;
// Beyond it a float overflows.
const maxPenaltyLog = Math.log(3e38);

export function createDry(settings: DrySettings, { contextLength, vocabulary }: DrySources) {
  const { multiplier, base, allowedLength } = settings;
  const window = Math.min(settings.window < 0 ? contextLength : settings.window, contextLength, maxWindow);
  if (multiplier === 0 || window === 0) return { accept: () => {}, apply: () => {} };

  const breakers = createBreakers(settings.breakers, vocabulary);
  const maxExponent = base > 1 ? Math.floor((maxPenaltyLog - Math.log(multiplier)) / Math.log(base)) : 0;
  // The newest token is last. Twice the window, so that tokens are moved rarely.
  const tokens = new Int32Array(2 * window);
  const repeats = new Int32Array(window);
  let end = 0;
  let unread = 0;
  let sinceBreaker = 0;

  /** Later than `accept`: of a long prompt, only the last tokens are read. */
  const readNew = (): void => {
    for (let index = end - Math.min(unread, window); index < end; index++)
      sinceBreaker = breakers.endsIn(tokens[index] as number) ? 0 : sinceBreaker + 1;
    unread = 0;
  };

  return {
    accept(token: number): void {
      if (end === tokens.length) {
        tokens.copyWithin(0, window);
        end = window;
      }
      tokens[end++] = token;
      unread++;
    },
    apply(logits: Float32Array): void {
      readNew();
      const length = Math.min(end, window);
      const limit = Math.min(sinceBreaker, length);
      if (limit < allowedLength || length <= allowedLength) return;
      const recent = tokens.subarray(end - length, end);
      countRepeats(recent, repeats);
      for (const [token, repeated] of longestByNext(recent, repeats, limit)) {
        if (repeated < allowedLength || breakers.isIn(token)) continue;
        const exponent = Math.min(repeated - allowedLength, maxExponent);
        logits[token] = (logits[token] as number) - multiplier * base ** exponent;
      }
    },
  };
}

/**
 * For each distance from the end: how many tokens before it equal the last tokens. This is the Z function of the reversed
 * tokens, in linear time.
 */
function countRepeats(recent: Int32Array, repeats: Int32Array): void {
  const length = recent.length;
  const last = length - 1;
  // The box of the match that ends furthest.
  let start = 0;
  let end = 0;
  for (let distance = 1; distance < length; distance++) {
    let count = distance < end ? Math.min(end - distance, repeats[distance - start] as number) : 0;
    while (distance + count < length && recent[last - count] === recent[last - distance - count]) count++;
    repeats[distance] = count;
    if (distance + count > end) {
      start = distance;
      end = distance + count;
    }
  }
}

/** For each token that once followed the last tokens: the longest repetition that it would continue. */
function longestByNext(recent: Int32Array, repeats: Int32Array, limit: number): ReadonlyMap<number, number> {
  const longest = new Map<number, number>();
  for (let distance = 1; distance < recent.length; distance++) {
    const repeated = Math.min(repeats[distance] as number, limit);
    const next = recent[recent.length - distance] as number;
    if (repeated > (longest.get(next) ?? 0)) longest.set(next, repeated);
  }
  return longest;
}

/** Finds breakers in tokens, and across them. Texts have a character for each byte. */
function createBreakers(given: readonly string[], { pieceOf }: Pick<Vocabulary, 'pieceOf'>) {
  const breakers = given.filter((text) => text !== '').map((text) => Buffer.from(text, 'utf8').toString('latin1'));
  const split = breakers.filter(({ length }) => length > 1);
  const longest = Math.max(1, ...split.map(({ length }) => length));
  const known = new Map<number, boolean>();
  let before = '';

  const isIn = (token: number): boolean => {
    const found = known.get(token) ?? breakers.some((breaker) => pieceOf(token).toString('latin1').includes(breaker));
    known.set(token, found);
    return found;
  };

  return {
    /** Whether the token contains a breaker. */
    isIn,
    /** Whether a breaker ends in the next token. */
    endsIn(token: number): boolean {
      if (split.length === 0) return isIn(token);
      const start = before.length + 1;
      const text = before + pieceOf(token).toString('latin1');
      before = text.slice(Math.max(0, text.length - longest + 1));
      // The last character of the breaker is in the token.
      return split.some((breaker) => text.includes(breaker, Math.max(0, start - breaker.length))) || isIn(token);
    },
  };
}
