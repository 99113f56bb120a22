// Tokens of a window of audio → segments and words. Tokens for times separate segments. All times are seconds.

import type { TranscriptSegment, TranscriptWord } from '../../inference/model/transcript.ts';

export interface WindowToken {
  readonly id: number;
  /** Undefined for a token that is a time. */
  readonly text?: Buffer;
  /** When it was said, or the time that it is: from the start of the window. */
  readonly start: number;
  readonly end: number;
  readonly logprob: number;
}

interface SplitWindow {
  readonly segments: readonly TranscriptSegment[];
  /** Where the next window starts, from the start of this one. */
  readonly next: number;
}

interface WindowFacts {
  /** The start of the window. */
  readonly start: number;
  /** Seconds of audio in the window. */
  readonly length: number;
  readonly noSpeech: number;
}

const isTime = ({ text }: WindowToken): boolean => text === undefined;

/** A window that ends within a segment ends with two times, and the next one starts at the second one. */
export function splitTokens(tokens: readonly WindowToken[], window: WindowFacts): SplitWindow {
  const { start: offset, length } = window;
  const segments: TranscriptSegment[] = [];
  let texts: WindowToken[] = [];
  let from = 0;
  let lastTime = 0;
  const finish = (until: number): void => {
    const segment = toSegment(texts, { from: offset + from, until: offset + Math.min(until, length), ...window });
    if (segment !== undefined) segments.push(segment);
    texts = [];
  };
  for (const token of tokens) {
    if (!isTime(token)) {
      texts.push(token);
      continue;
    }
    finish(token.start);
    from = token.start;
    lastTime = token.start;
  }
  const [second, last] = tokens.slice(-2);
  const endsInside = second !== undefined && last !== undefined && isTime(second) && isTime(last) && lastTime > 0;
  if (endsInside && lastTime < length) return { segments, next: lastTime };
  finish(length);
  return { segments, next: length };
}

function toSegment(
  tokens: readonly WindowToken[],
  { from, until, start, noSpeech }: WindowFacts & { readonly from: number; readonly until: number },
): TranscriptSegment | undefined {
  const text = Buffer.concat(tokens.map(({ text = Buffer.alloc(0) }) => text)).toString('utf8');
  if (text.trim() === '') return undefined;
  const logprob = tokens.reduce((sum, token) => sum + token.logprob, 0) / tokens.length;
  const end = Math.max(from, until);
  const ids = tokens.map(({ id }) => id);
  return { text, start: from, end, tokens: ids, logprob, noSpeech, words: toWords(tokens, { start, from, end }) };
}

interface WordLimits {
  readonly start: number;
  readonly from: number;
  readonly end: number;
}

/** A word starts with a space. Languages without spaces have long words. */
function toWords(tokens: readonly WindowToken[], { start, from, end }: WordLimits): TranscriptWord[] {
  const words: { text: Buffer; start: number; end: number }[] = [];
  const within = (time: number): number => Math.min(Math.max(time, from), end);
  for (const { text = Buffer.alloc(0), ...token } of tokens) {
    const word = words.at(-1);
    if (word === undefined || text[0] === 0x20)
      words.push({ text, start: within(start + token.start), end: within(start + token.end) });
    else {
      word.text = Buffer.concat([word.text, text]);
      word.end = Math.max(word.end, within(start + token.end));
    }
  }
  return words.map((word) => ({ ...word, text: word.text.toString('utf8').trim() })).filter(({ text }) => text !== '');
}
