// The functions html, js and urlquery.

import { isPrintable } from './quote.ts';

// HTML cannot contain NUL, so Go replaces it.
const htmlEscapes: Readonly<Record<string, string>> = {
  '\0': '\uFFFD',
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[\0"'&<>]/g, (character) => htmlEscapes[character] ?? character);
}

const scriptNames: Readonly<Record<string, string>> = { '\\': '\\\\', "'": "\\'", '"': '\\"' };

export function escapeScript(text: string): string {
  let escaped = '';
  for (const character of text) escaped += escapeScriptCharacter(character);
  return escaped;
}

function escapeScriptCharacter(character: string): string {
  if (Object.hasOwn(scriptNames, character)) return scriptNames[character] as string;
  if (!'<>&='.includes(character) && isPrintable(character)) return character;
  const code = character.codePointAt(0) as number;
  // DEL is the only ASCII character that is neither printable nor escaped by Go.
  return code === 0x7f ? character : `\\u${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

export function escapeQuery(text: string): string {
  const percented = encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD'));
  return percented
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
}
