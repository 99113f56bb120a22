// Fits text into terminal columns. Characters can be zero, one or two columns wide.

import stringWidth from 'string-width';

const segmenter = new Intl.Segmenter();
const ascii = /^[\x20-\x7e]*$/;

export function widthOf(text: string): number {
  return ascii.test(text) ? text.length : stringWidth(text);
}

/** Truncates the text with an ellipsis. Graphemes are never split. */
export function cutText(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (width < 1) return '';
  let kept = '';
  let used = 0;
  for (const { segment } of segmenter.segment(text)) {
    used += widthOf(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

export function padText(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

export function padTextStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - widthOf(text))) + text;
}
