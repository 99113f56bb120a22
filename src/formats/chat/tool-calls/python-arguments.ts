// Parses the arguments of a Python-style call: `city="Paris", days=[1, 2], strict=True`. Positional arguments are
// rejected, because the names of their parameters are unknown.

const blank = /\s*/y;
// Names of parameters are not always names in Python.
const name = /[\p{L}_][\p{L}\p{N}_.-]*/uy;
const number = /[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?/y;
const escaped = /\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-7]{1,3}|.)/sy;
const bare = /[^,()[\]{}"']+/y;
const plain: Readonly<Record<string, RegExp>> = { '"': /[^"\\]+/y, "'": /[^'\\]+/y };

// JSON literals are included because models mix the two languages.
const literals = new Map<string, unknown>([
  ['True', true],
  ['False', false],
  ['None', null],
  ['true', true],
  ['false', false],
  ['null', null],
]);

const escapes = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['b', '\b'],
  ['f', '\f'],
  ['v', '\v'],
  ['a', '\x07'],
  ['\\', '\\'],
  // As in JSON.
  ['/', '/'],
  ["'", "'"],
  ['"', '"'],
]);

interface PythonOptions {
  /** Whether a value that is nothing else is a text without quotes. */
  readonly hasBareTexts?: boolean;
}

/** The scanner has limited the depth of `text` before. Undefined if the text is not valid. */
export function parsePythonArguments(
  text: string,
  { hasBareTexts = false }: PythonOptions = {},
): Readonly<Record<string, unknown>> | undefined {
  const reader = createReader(text, hasBareTexts);
  try {
    const entries = readItems(reader, '', () => {
      const key = reader.take(name);
      expect(reader, '=');
      return [key, readValue(reader)] as const;
    });
    return Object.fromEntries(entries);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function createReader(text: string, hasBareTexts: boolean) {
  let at = 0;
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) throw new SyntaxError(`unexpected text at ${at}`);
    at += found[0].length;
    return found[0];
  };
  return {
    hasBareTexts,
    /** Consumes the match of a sticky pattern. */
    take,
    peek: (): string => text[at] ?? '',
    /** Skips `text` and the blanks before it, if it comes next. */
    skip(expected: string): boolean {
      take(blank);
      const found = expected === '' ? at === text.length : text.startsWith(expected, at);
      if (found) at += expected.length;
      return found;
    },
  };
}

type Reader = ReturnType<typeof createReader>;

/** Comma-separated items up to `end`, with an optional trailing comma; '' is the end of the text. */
function readItems<Item>(reader: Reader, end: string, readItem: () => Item): Item[] {
  const items: Item[] = [];
  while (!reader.skip(end)) {
    items.push(readItem());
    if (reader.skip(end)) break;
    expect(reader, ',');
  }
  return items;
}

function readValue(reader: Reader): unknown {
  if (reader.skip('[')) return readItems(reader, ']', () => readValue(reader));
  if (reader.skip('{')) return Object.fromEntries(readItems(reader, '}', () => readEntry(reader)));
  const next = reader.peek();
  if (next === '"' || next === "'") return readString(reader);
  if (reader.hasBareTexts) return toValue(reader.take(bare).trim());
  if (/[-+.\d]/.test(next)) return Number(reader.take(number));
  const word = reader.take(name);
  if (!literals.has(word)) throw new SyntaxError(`${word} is not a value`);
  return literals.get(word);
}

function toValue(word: string): unknown {
  if (literals.has(word)) return literals.get(word);
  return /^[-+.\d]/.test(word) && !Number.isNaN(Number(word)) ? Number(word) : word;
}

function readEntry(reader: Reader): readonly [string, unknown] {
  const key = readString(reader);
  expect(reader, ':');
  return [key, readValue(reader)];
}

function readString(reader: Reader): string {
  reader.take(blank);
  const quote = reader.take(/["']/y);
  let value = '';
  while (reader.peek() !== quote) {
    value += reader.peek() === '\\' ? unescapeSequence(reader.take(escaped)) : reader.take(plain[quote] as RegExp);
  }
  reader.take(/["']/y);
  return value;
}

function unescapeSequence(sequence: string): string {
  const body = sequence.slice(1);
  if (body.length > 1 && /^[xuU]/.test(body)) return fromCodePoint(Number.parseInt(body.slice(1), 16));
  if (/^[0-7]/.test(body)) return fromCodePoint(Number.parseInt(body, 8));
  // As in Python, a backslash before anything else is a backslash.
  return escapes.get(body) ?? sequence;
}

function fromCodePoint(code: number): string {
  if (code > 0x10ffff) throw new SyntaxError('invalid code point');
  return String.fromCodePoint(code);
}

function expect(reader: Reader, text: string): void {
  if (!reader.skip(text)) throw new SyntaxError(`${text} is missing`);
}
