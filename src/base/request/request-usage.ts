// What a request has used: the tokens of its answers, and their texts if the server keeps them. Services note it while
// they work, because a request can be aborted at any time.

import { currentRequest, type Exchange, type TokenCount } from './request-scope.ts';

export const exchangeLimits = {
  /** Characters of a prompt, and of an answer. */
  text: 256 * 1024,
  /** Of one request, which may have many choices. */
  exchanges: 16,
} as const;

/** A count of the current request. */
export function openCount(): TokenCount {
  const count: TokenCount = { promptTokens: 0, cachedTokens: 0, generatedTokens: 0 };
  const request = currentRequest();
  if (request !== undefined) {
    request.counts ??= [];
    request.counts.push(count);
  }
  return count;
}

export function sumCounts(counts: readonly TokenCount[]): Readonly<TokenCount> {
  const sum = (field: keyof TokenCount): number => counts.reduce((total, count) => total + count[field], 0);
  return {
    promptTokens: sum('promptTokens'),
    cachedTokens: sum('cachedTokens'),
    generatedTokens: sum('generatedTokens'),
  };
}

/** Returns what adds text to the answer, or undefined if texts are not kept. */
export function openExchange(prompt: string): ((text: string) => void) | undefined {
  const exchanges = currentRequest()?.exchanges;
  if (exchanges === undefined || exchanges.length >= exchangeLimits.exchanges) return undefined;
  const exchange: Exchange = { prompt: shorten(prompt), answer: '' };
  exchanges.push(exchange);
  return (text) => {
    exchange.answer += text.slice(0, exchangeLimits.text - exchange.answer.length);
  };
}

/** Leaves out the middle: instructions are at the start of a prompt, the question is at its end. */
function shorten(text: string): string {
  const left = text.length - exchangeLimits.text;
  if (left <= 0) return text;
  const half = exchangeLimits.text / 2;
  const short = `${text.slice(0, half)}\n[${left} characters left out]\n${text.slice(-half)}`;
  // A slice would keep the whole text in memory.
  return Buffer.from(short).toString();
}
