// The terminals that a grammar can import from Lark's `common`, as regular expressions.

const integer = '[0-9]+';
const decimal = '(?:[0-9]+\\.[0-9]*|\\.[0-9]+)';
const float = `(?:${integer}[eE][+\\-]?${integer}|${decimal}(?:[eE][+\\-]?${integer})?)`;
const number = `(?:${float}|${integer})`;

export const commonTerminals: Readonly<Record<string, string>> = {
  DIGIT: '[0-9]',
  HEXDIGIT: '[0-9a-fA-F]',
  INT: integer,
  SIGNED_INT: `[+\\-]?${integer}`,
  DECIMAL: decimal,
  FLOAT: float,
  SIGNED_FLOAT: `[+\\-]?${float}`,
  NUMBER: number,
  SIGNED_NUMBER: `[+\\-]?${number}`,
  ESCAPED_STRING: '"(?:[^"\\\\\\n]|\\\\.)*"',
  LCASE_LETTER: '[a-z]',
  UCASE_LETTER: '[A-Z]',
  LETTER: '[a-zA-Z]',
  WORD: '[a-zA-Z]+',
  CNAME: '[a-zA-Z_][a-zA-Z0-9_]*',
  WS_INLINE: '[ \\t]+',
  WS: '[ \\t\\f\\r\\n]+',
  CR: '\\r',
  LF: '\\n',
  NEWLINE: '(?:\\r?\\n)+',
};
