// Which passages an answer cites, as the server finds citations: [1], [2, 3] or 【1】.

import type { ChatPassage } from '../../../src/server/dialects/ollama/generation/chat-schema.ts';

/** In the order of their numbers. */
export function chooseCited(text: string, passages: readonly ChatPassage[]) {
  const numbers = new Set(
    [...text.matchAll(/[[【](\d{1,4}(?: ?, ?\d{1,4}){0,15})[\]】]/g)].flatMap(({ 1: list = '' }) =>
      list.split(',').map(Number),
    ),
  );
  return {
    cited: passages.filter(({ number }) => numbers.has(number)),
    others: passages.filter(({ number }) => !numbers.has(number)),
  };
}
