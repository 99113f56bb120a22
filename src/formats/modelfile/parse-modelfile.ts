// Parses a Modelfile into commands.
//
//   modelfile   = { line }                                     at least one FROM; unsupported characters are
//                                                              dropped before
//   line        = { blank } [ comment | instruction ] newline  the newline of the last line is optional
//   comment     = "#" { any }
//   instruction = word blank text
//               | "PARAMETER" blank name blank text
//               | "MESSAGE" blank role blank text
//   word        = "FROM" | "LICENSE" | "TEMPLATE" | "SYSTEM" | "ADAPTER"
//               | "DRAFT" | "RENDERER" | "PARSER" | "ENGINE"
//               | "REQUIRES"                                 case-insensitive
//   name        = { letter | digit | "_" }
//   role        = "system" | "user" | "assistant"              lower case
//   text        = { blank } ( bare | quoted | tripled ) { blank }
//   bare        = { any }                                      no quote at its start; blanks around it are removed
//   quoted      = '"' { any | newline } '"'                    up to the first line that ends with a quote
//   tripled     = '"""' { any | newline } '"""'                up to the first line that ends with three quotes
//   blank       = space | tab
//   newline     = CR | LF | CR LF
//
// There are no escapes, and a quote closes a text only at the end of a line: `"a" b` continues on the next line. CR and
// LF in quotes are kept. Parsing takes linear time and does not recurse.

import { nearestWord } from '../../base/text/nearest-word.ts';
import { isEngineName } from '../../models/engine-parameters.ts';
import { decodeModelfile, dropUnsupported } from './decode-modelfile.ts';
import {
  badEngine,
  badRequires,
  excerpt,
  isVersion,
  type MessageRole,
  type Modelfile,
  type ModelfileCommand,
  messageRoles,
  modelfileError,
  modelfileLimits,
  noFrom,
  type TextKind,
  textKinds,
} from './modelfile.ts';

const badWord =
  'command must be one of "from", "license", "template", "system", "adapter", "draft", "renderer", "parser", "engine", "parameter", "message", or "requires"';
const badRole = 'message role must be one of "system", "user", or "assistant"';
const truncated = 'unexpected EOF';

/** Throws `bad_request`, with the line if it is known. */
export function parseModelfile(source: string | Uint8Array): Modelfile {
  const text = dropUnsupported(typeof source === 'string' ? source : decodeModelfile(source));
  const reader = createLineReader(text);
  const commands: ModelfileCommand[] = [];
  const lines: number[] = [];
  for (let line = reader.next(); line !== undefined; line = reader.next()) {
    if (/^[ \t]*(?:#|$)/.test(line.text)) continue;
    if (commands.length === modelfileLimits.commands) {
      throw modelfileError(`a Modelfile can have at most ${modelfileLimits.commands} instructions`, line.number);
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
  /** Ended by the end of the file, without a newline. */
  readonly last: boolean;
}

function createLineReader(text: string) {
  const newline = /\r\n|\r|\n/g;
  let start = 0;
  let number = 0;
  return {
    /** The entire text; `start` of a line is an offset into it. */
    text,
    next(): Line | undefined {
      if (start >= text.length) return undefined;
      newline.lastIndex = start;
      const end = newline.exec(text)?.index;
      const line = { text: text.slice(start, end), number: ++number, start, last: end === undefined };
      start = end === undefined ? text.length : newline.lastIndex;
      return line;
    },
  };
}

type LineReader = ReturnType<typeof createLineReader>;

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
  if (!isTextKind(kind)) throw modelfileError(unknownWord(kind), line.number);
  const value = readText(line, word.end + 1, reader);
  if (kind === 'requires' && !isVersion(value)) throw modelfileError(badRequires, line.number);
  if (kind === 'engine' && !isEngineName(value)) throw modelfileError(badEngine, line.number);
  return { kind, value };
}

function unknownWord(word: string): string {
  const suggestion = nearestWord(word, [...textKinds, 'parameter', 'message']);
  return suggestion === undefined ? badWord : `${badWord}. Did you mean ${suggestion.toUpperCase()}?`;
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
  /** Followed by the required blank. */
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

/** The text that starts in this line. The reader provides the lines on which it continues. */
function readText(first: Line, offset: number, reader: LineReader): string {
  const bare = first.text.slice(offset).trim();
  if (!bare.startsWith('"')) return bare;
  const quote = bare.startsWith('"""') ? '"""' : '"';
  const start = first.start + first.text.indexOf('"', offset);
  for (let line: Line | undefined = first; line !== undefined; line = reader.next()) {
    const written = line.text.trimEnd();
    const end = line.start + written.length;
    // The opening quote does not close the text as well.
    if (written.endsWith(quote) && end - start >= 2 * quote.length)
      return reader.text.slice(start + quote.length, end - quote.length);
  }
  throw modelfileError(truncated, first.number);
}
