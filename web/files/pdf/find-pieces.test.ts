import { expect, test } from 'vitest';
import { findPieces } from './find-pieces.ts';

const pieces = ['The harbor opens.', ' ', 'Ferries ', 'leave', '', 'at seven. Tickets'].map((str) => ({ str }));
const find = (passage: string): string[] => findPieces(pieces, passage).map(({ str }) => str);

test('the pieces of a passage are found, whatever white space it has', () => {
  expect(find('Ferries\nleave at  seven.')).toEqual(['Ferries ', 'leave', 'at seven. Tickets']);
  expect(find('The harbor opens.\n\nFer')).toEqual(['The harbor opens.', 'Ferries ']);
});

test('a passage that is not on the page has no pieces', () => {
  expect(find('Boats leave')).toEqual([]);
  expect(find(' ')).toEqual([]);
});
