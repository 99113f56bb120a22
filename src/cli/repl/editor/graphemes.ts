// Graphemes: user-perceived characters, which can have several code units. Finds their boundaries and widths.

import { widthOf } from '../../output/fit-text.ts';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const plain = /^[\x20-\x7e]*$/;

/** Fast for ASCII, where every code unit is a grapheme. */
export function graphemesOf(text: string): string[] {
  if (plain.test(text)) return text.split('');
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** The first boundary after `index`. */
export function boundaryAfter(text: string, index: number): number {
  const found = segmenter.segment(text).containing(index);
  return found === undefined ? text.length : found.index + found.segment.length;
}

/** The last boundary before `index`. */
export function boundaryBefore(text: string, index: number): number {
  return index <= 0 ? 0 : (segmenter.segment(text).containing(index - 1)?.index ?? 0);
}

/** `index` if it is a boundary, otherwise the next boundary. */
export function nearestBoundary(text: string, index: number): number {
  if (index <= 0) return 0;
  const found = segmenter.segment(text).containing(index);
  if (found === undefined) return text.length;
  return found.index === index ? index : found.index + found.segment.length;
}

export interface Cell {
  readonly shown: string;
  readonly width: number;
}

const tab: Cell = { shown: '    ', width: 4 };

/** The representation on the screen: a tab as spaces, a control character as ^X. Not for line breaks. */
export function cellOf(grapheme: string): Cell {
  if (plain.test(grapheme)) return { shown: grapheme, width: grapheme.length };
  if (grapheme === '\t') return tab;
  const code = grapheme.charCodeAt(0);
  if (code < 0x20 || code === 0x7f) return { shown: `^${String.fromCharCode(code ^ 0x40)}`, width: 2 };
  return { shown: grapheme, width: widthOf(grapheme) };
}
