// Arguments with bare keys that are almost valid: the quote or the brace at the end is missing, or a text has no quotes.

import { writesText } from '../tool-calls/element-value.ts';
import { parseBareKeys } from '../tool-calls/parse-bare-keys.ts';

type Arguments = ReturnType<typeof parseBareKeys>;

export function repairBareKeys(text: string, quote: string, schema: unknown): Arguments {
  const closed = closeText(text, quote);
  const quoted = quoteText(text, quote, schema);
  return (
    (closed === text ? undefined : parseBareKeys(closeObject(closed), quote)) ??
    (quoted === undefined ? undefined : parseBareKeys(closeObject(closeText(quoted, quote)), quote))
  );
}

/** Adds the quote that ends the last text. */
function closeText(text: string, quote: string): string {
  if (text.split(quote).length % 2 === 1) return text;
  const end = /[}\]]$/.test(text) ? text.length - 1 : text.length;
  return text.slice(0, end) + quote + text.slice(end);
}

function closeObject(text: string): string {
  return text.endsWith('}') ? text : `${text}}`;
}

/** Adds quotes to the first text that has none. Only the schema tells that a value is a text. */
function quoteText(text: string, quote: string, schema: unknown): string | undefined {
  const { properties } = (schema ?? {}) as { readonly properties?: unknown };
  const known = Object.entries(typeof properties === 'object' && properties !== null ? properties : {});
  const keys = known.map(([name]) => escapePattern(name));
  const texts = known.flatMap(([, property], index) => (writesText(property) ? (keys[index] as string) : []));
  for (const key of texts) {
    const start = startOfPlain(text, key, quote);
    if (start === undefined) continue;
    const next = text.slice(start).search(new RegExp(`,\\s*(?:${keys.join('|')})\\s*:`));
    const last = text.endsWith('}') ? text.length - 1 : text.length;
    const end = next === -1 ? last : start + next;
    return text.slice(0, start) + quote + text.slice(start, end) + quote + text.slice(end);
  }
  return undefined;
}

/** The start of the value of a key, if it has no quotes and is no other value. */
function startOfPlain(text: string, key: string, quote: string): number | undefined {
  const literal = escapePattern(quote);
  const tokens = new RegExp(`${literal}.*?${literal}|"(?:[^"\\\\]|\\\\.)*"|[{,]\\s*${key}\\s*:`, 'gs');
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (!/^[{,]/.test(token)) continue;
    const start = index + token.length;
    const value = text.slice(start).trimStart();
    if (!value.startsWith(quote) && !/^(?:['"{[\d-]|true|false|null)/.test(value)) return start;
  }
  return undefined;
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
