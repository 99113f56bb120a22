// The text of a document as one text.

import type { DocumentText } from './document-reader.ts';

/** Pages of a document that has several are numbered, so that answers can name them. */
export function joinPages({ pages }: DocumentText): string {
  if (pages.length === 1) return pages[0] as string;
  return pages.map((page, index) => `[Page ${index + 1}]\n${page}`).join('\n\n');
}
