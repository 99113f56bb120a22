// The message in an error of a remote, in any of its forms: `{"error":{"message"}}`, `{"error":"…"}`, `{"detail"}`,
// `{"message"}`.

import { toObject, toText, type WireObject } from './json-fields.ts';

const maxLength = 500;

export function messageInError(body: WireObject): string {
  const { error, detail, message } = body;
  const text = toText(toObject(error)['message']) || toText(error) || toText(detail) || toText(message);
  return clean(text) || 'it gave no reason';
}

/** One short line without control characters. */
function clean(text: string): string {
  return text
    .slice(0, maxLength)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
}
