// The places of an answer that cite passages: [1], [2, 3] or 【1】.

import type { CitedPassage } from '../documents/passage-search.ts';

export interface Citation {
  readonly passage: CitedPassage;
  /** Where the text cites it. */
  readonly index: number;
}

/** Numbers that no passage has are text. */
export function findCitations(text: string, passages: ReadonlyMap<number, CitedPassage>): Citation[] {
  if (passages.size === 0) return [];
  return [...text.matchAll(/[[【](\d{1,4}(?: ?, ?\d{1,4}){0,15})[\]】]/g)].flatMap(({ index, 1: numbers = '' }) =>
    numbers.split(',').flatMap((number) => {
      const passage = passages.get(Number(number));
      return passage === undefined ? [] : [{ passage, index }];
    }),
  );
}
