// The text of a Modelfile → its commands.
//
//   modelfile   = { line }                                     at least one FROM; characters that are not printable
//                                                              were dropped before
//   line        = { blank } [ comment | instruction ] newline  the last line may do without
//   comment     = "#" { any }
//   instruction = word blank text
//               | "PARAMETER" blank name blank text
//               | "MESSAGE" blank role blank text
//   word        = "FROM" | "LICENSE" | "TEMPLATE" | "SYSTEM" | "ADAPTER"
//               | "DRAFT" | "RENDERER" | "PARSER" | "REQUIRES" in any case
//   name        = { letter | digit | "_" }
//   role        = "system" | "user" | "assistant"              in lower case
//   text        = { blank } ( bare | quoted | tripled ) { blank }
//   bare        = { any }                                      not beginning with a quote, without blanks around it
//   quoted      = '"' { any | newline } '"'                    up to the first line that ends with a quote
//   tripled     = '"""' { any | newline } '"""'                up to the first line that ends with three quotes
//   blank       = space | tab
//   newline     = CR | LF | CR LF
//
// There are no escapes, and a quote closes nothing but at the end of a line: `"a" b` goes on in the next one. In quotes,
// CR and LF stay as they are. Every character is looked at a fixed number of times, and nothing recurs.

import { decodeModelfile, dropIgnored } from './decode-modelfile.ts';
import {
  badRequires,
  excerpt,
  isVersion,
  limits,
  type MessageRole,
  type Modelfile,
  type ModelfileCommand,
  messageRoles,
  modelfileError,
  noFrom,
  type TextKind,
  textKinds,
} from './modelfile.ts';

const badWord =
  'command must be one of "from", "license", "template", "system", "adapter", "draft", "renderer", "parser", "parameter", "message", or "requires"';
const badRole = 'message role must be one of "system", "user", or "assistant"';
const truncated = 'unexpected EOF';

/** Throws `bad_request`, with the line where there is one. */
export function parseModelfile(source: string | Uint8Array): Modelfile {
  const text = dropIgnored(typeof source === 'string' ? source : decodeModelfile(source));
  const reader = createLineReader(text);
  const commands: ModelfileCommand[] = [];
  const lines: number[] = [];
  for (let line = reader.next(); line !== undefined; line = reader.next()) {
    if (/^[ \t]*(?:#|$)/.test(line.text)) continue;
    if (commands.length === limits.commands) {
      throw modelfileError(`a Modelfile can have at most ${limits.commands} instructions`, line.number);
    }
    commands.push(parseInstruction(line, reader));
    lines.push(line.number);
  }
  if (!commands.some(({ kind }) => kind === 'from')) throw modelfileError(noFrom);
  return { commands, lines };
}

interface Line {
  /** Without its newline. */
  readonly text: string;
  readonly number: number;
  readonly start: number;
  /** No newline ends it, the file does. */
  readonly last: boolean;
}

interface LineReader {
  /** The whole text, in which lines have their offsets. */
  readonly text: string;
  next(): Line | undefined;
}

function createLineReader(text: string): LineReader {
  const newline = /\r\n|\r|\n/g;
  let start = 0;
  let number = 0;
  return {
    text,
    next() {
      if (start >= text.length) return undefined;
      newline.lastIndex = start;
      const end = newline.exec(text)?.index;
      const line = { text: text.slice(start, end), number: ++number, start, last: end === undefined };
      start = end === undefined ? text.length : newline.lastIndex;
      return line;
    },
  };
}

function parseInstruction(line: Line, reader: LineReader): ModelfileCommand {
  const word = readWord(line, /[ \t]*([A-Za-z]*)/y, 0);
  if (!word.closed) throw modelfileError(word.end === line.text.length && line.last ? truncated : badWord, line.number);
  const kind = word.text.toLowerCase();
  if (kind === 'parameter') {
    const name = readName(line, /([A-Za-z0-9_]*)/y, word.end + 1);
    return { kind, name: name.text, value: readText(line, name.end + 1, reader) };
  }
  if (kind === 'message') {
    const role = readName(line, /([A-Za-z]*)/y, word.end + 1);
    if (!isRole(role.text)) throw modelfileError(badRole, line.number);
    return { kind, role: role.text, content: readText(line, role.end + 1, reader) };
  }
  if (!isTextKind(kind)) throw modelfileError(badWord, line.number);
  const value = readText(line, word.end + 1, reader);
  if (kind === 'requires' && !isVersion(value)) throw modelfileError(badRequires, line.number);
  return { kind, value };
}

function isRole(text: string): text is MessageRole {
  return (messageRoles as readonly string[]).includes(text);
}

function isTextKind(text: string): text is TextKind {
  return (textKinds as readonly string[]).includes(text);
}

interface Word {
  readonly text: string;
  readonly end: number;
  /** A blank follows, as it must. */
  readonly closed: boolean;
}

function readWord(line: Line, pattern: RegExp, start: number): Word {
  pattern.lastIndex = start;
  const text = pattern.exec(line.text)?.[1] ?? '';
  const end = pattern.lastIndex;
  return { text, end, closed: line.text[end] === ' ' || line.text[end] === '\t' };
}

function readName(line: Line, pattern: RegExp, start: number): Word {
  const name = readWord(line, pattern, start);
  if (name.closed) return name;
  throw modelfileError(name.text === '' ? truncated : `${truncated}: ${excerpt(name.text)}`, line.number);
}

/** The text that begins in this line; the reader gives the lines over which it goes on. */
function readText(first: Line, offset: number, reader: LineReader): string {
  const bare = first.text.slice(offset).trim();
  if (!bare.startsWith('"')) return bare;
  const quote = bare.startsWith('"""') ? '"""' : '"';
  const start = first.start + first.text.indexOf('"', offset);
  for (let line: Line | undefined = first; line !== undefined; line = reader.next()) {
    const written = line.text.trimEnd();
    const end = line.start + written.length;
    // What opens the text does not close it too.
    if (written.endsWith(quote) && end - start >= 2 * quote.length)
      return reader.text.slice(start + quote.length, end - quote.length);
  }
  throw modelfileError(truncated, first.number);
}
