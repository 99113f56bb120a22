// Bytes of a text file → text. Most are UTF-8; spreadsheets of Windows write others.

import { badRequest } from '../../base/errors.ts';

const marks: readonly (readonly [encoding: string, mark: readonly number[]])[] = [
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** Throws `bad_request` for bytes that are no text. */
export function decodeFile(bytes: Uint8Array): string {
  const marked = marks.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte))?.[0];
  const text = marked === undefined ? decodeUnmarked(bytes) : new TextDecoder(marked).decode(bytes);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: texts do not have them
  if (/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(text))
    throw badRequest('it is neither a text nor a PDF or DOCX file');
  return text.replaceAll('\r\n', '\n');
}

function decodeUnmarked(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return decodeWindows(bytes);
  }
}

// The code page 1252. Some versions of Node decode these characters as ISO 8859-1.
const windowsCharacters = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

function decodeWindows(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  return text.replace(/[\x80-\x9f]/g, (character) => windowsCharacters[character.charCodeAt(0) - 0x80] ?? character);
}
