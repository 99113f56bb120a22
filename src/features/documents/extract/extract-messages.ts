// The result of the process that reads a document, as JSON on its standard output.

import { asObject, parseJson } from '../../../base/json-values.ts';
import { documentLimits } from '../document-limits.ts';

export type ExtractMessage = { readonly pages: readonly string[] } | { readonly refused: string };

/** Every character may take six bytes as JSON. */
export const maxMessageBytes = 6 * documentLimits.characters + 16 * documentLimits.pages;

/** Undefined if it is none: the process has read a hostile file. */
export function parseExtractMessage(text: string): ExtractMessage | undefined {
  const { pages, refused } = asObject(parseJson(text));
  if (typeof refused === 'string') return { refused: refused.slice(0, maxReasonLength) };
  const isValid =
    Array.isArray(pages) &&
    pages.length > 0 &&
    pages.length <= documentLimits.pages &&
    pages.every((page) => typeof page === 'string');
  return isValid ? { pages: pages as string[] } : undefined;
}

// Reasons may quote the file.
const maxReasonLength = 300;
