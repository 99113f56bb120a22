// Bytes of a Modelfile → its text. Editors and PowerShell on Windows write UTF-16 and byte order marks.

import { limits, modelfileError } from './modelfile.ts';

// What Go does not call printable (control characters, spaces other than the ASCII one, joiners, private and
// unassigned characters, halves of surrogate pairs), except for what separates words and lines.
const ignored = /[^\p{L}\p{M}\p{N}\p{P}\p{S} \t\r\n]/u;
const everyIgnored = new RegExp(`${ignored.source}+`, 'gu');

/** The text in the encoding that its byte order mark says; without one, UTF-8. Bytes that make no sense become U+FFFD. */
export function decodeModelfile(bytes: Uint8Array): string {
  checkSize(bytes.length);
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return 'utf-8'; // The decoder itself takes this encoding's mark away.
}

/** Text without the characters that a Modelfile cannot hold, which a reader of one never sees. */
export function dropIgnored(text: string): string {
  checkSize(text.length);
  return text.replace(everyIgnored, '');
}

/** The first character of the text that a Modelfile cannot hold, as U+XXXX. */
export function findIgnored(text: string): string | undefined {
  const code = ignored.exec(text)?.[0].codePointAt(0);
  return code === undefined ? undefined : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

function checkSize(size: number): void {
  if (size > limits.bytes) throw modelfileError(`a Modelfile can have at most ${limits.bytes} bytes`);
}
