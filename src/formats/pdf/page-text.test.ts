import { expect, test } from 'vitest';
import { toPageText } from './page-text.ts';

const line = (str: string, bottom: number, hasEOL = true) => ({
  str,
  hasEOL,
  height: 10,
  transform: [10, 0, 0, 10, 0, bottom],
});

test('lines and paragraphs are told apart, and pieces have their places', () => {
  const pieces = [
    line('  ', 112, false),
    line('Ferries ', 100, false),
    line('leave.', 100),
    line('Daily.', 88),
    line('Tickets', 40),
  ];
  const { text, places } = toPageText(pieces);
  expect(text).toBe('Ferries leave.\nDaily.\n\nTickets');
  for (const { piece, start, end } of places.slice(1)) expect(text.slice(start, end)).toBe(piece.str);
});
