// The text of a document as one text, and as a part of a prompt.

import type { DocumentText } from './document-reader.ts';

/** Pages of a document that has several are numbered, so that answers can name them. */
export function joinPages({ pages }: DocumentText): string {
  if (pages.length === 1) return pages[0] as string;
  return pages.map((page, index) => `[Page ${index + 1}]\n${page}`).join('\n\n');
}

/** A fence that the text does not contain is around it. */
export function quoteDocument(name: string, text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((length, run) => Math.max(length, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `File ${name}:\n${fence}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
}
