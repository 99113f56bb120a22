// Quotes texts like %q of Go. Also defines which characters are printable.

const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

export function isPrintable(character: string): boolean {
  return printable.test(character);
}

const named: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
};

export function quote(text: string, mark: '"' | "'", asciiOnly: boolean): string {
  let quoted = mark;
  for (const character of text) quoted += quoteCharacter(character, mark, asciiOnly);
  return quoted + mark;
}

function quoteCharacter(character: string, mark: string, asciiOnly: boolean): string {
  const code = character.codePointAt(0) as number;
  if (character === mark) return `\\${mark}`;
  const name = Object.hasOwn(named, character) ? named[character] : undefined;
  if (name !== undefined) return name;
  if (code < 0x80 ? isPrintable(character) : !asciiOnly && isPrintable(character)) return character;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, '0')}`;
  return `\\U${code.toString(16).padStart(8, '0')}`;
}

/** Whether a text can be written in backquotes. */
export function isRawQuotable(text: string): boolean {
  for (const character of text) {
    const code = character.codePointAt(0) as number;
    if (character === '`' || character === '\uFEFF' || code === 0x7f || (code < 0x20 && character !== '\t'))
      return false;
  }
  return true;
}

// HTML cannot contain NUL, so Go replaces it.
const htmlEscapes: Readonly<Record<string, string>> = {
  '\0': '\uFFFD',
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
};

export function escapeGoHtml(text: string): string {
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
