// Decodes a Modelfile. Editors and PowerShell on Windows write UTF-16 and byte order marks.

import { modelfileError, modelfileLimits } from './modelfile.ts';

// The characters that Go does not consider printable (control characters, spaces other than the ASCII space, joiners,
// private and unassigned characters, lone surrogates), except tabs and newlines. Ollama drops them.
const unsupportedCharacter = /[^\p{L}\p{M}\p{N}\p{P}\p{S} \t\r\n]/u;
const unsupportedRuns = new RegExp(`${unsupportedCharacter.source}+`, 'gu');

/** Decodes by the byte order mark; without one, as UTF-8. Invalid bytes become U+FFFD. */
export function decodeModelfile(bytes: Uint8Array): string {
  checkLength(bytes.length);
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return 'utf-8'; // The decoder removes the mark of UTF-8.
}

/** Removes the characters that a Modelfile cannot contain. */
export function dropUnsupported(text: string): string {
  checkLength(text.length);
  return text.replace(unsupportedRuns, '');
}

/** The first character that a Modelfile cannot contain, as U+XXXX. */
export function findUnsupported(text: string): string | undefined {
  const code = unsupportedCharacter.exec(text)?.[0].codePointAt(0);
  return code === undefined ? undefined : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

function checkLength(size: number): void {
  if (size > modelfileLimits.bytes) throw modelfileError(`a Modelfile can have at most ${modelfileLimits.bytes} bytes`);
}
