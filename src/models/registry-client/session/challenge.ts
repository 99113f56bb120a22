// The authentication challenge in a registry's 401 response.
//
//   WWW-Authenticate = scheme blank { key "=" ( token | quoted ) "," }
//   quoted           = '"' { any | "\" any } '"'

export interface Challenge {
  readonly scheme: 'bearer' | 'basic';
  readonly realm: string;
  readonly service: string;
  readonly scopes: readonly string[];
}

const maxHeader = 8192;

/** Undefined if there is no supported challenge. */
export function parseChallenge(header: string | undefined): Challenge | undefined {
  if (header === undefined || header.length > maxHeader) return undefined;
  const [, scheme = '', rest = ''] = /^(bearer|basic)\b(.*)$/is.exec(header.trim()) ?? [];
  if (scheme === '') return undefined;
  const parameters = parseParameters(rest);
  return {
    scheme: scheme.toLowerCase() as Challenge['scheme'],
    realm: parameters.get('realm') ?? '',
    service: parameters.get('service') ?? '',
    scopes: (parameters.get('scope') ?? '').split(' ').filter((scope) => scope !== ''),
  };
}

// Sticky: each pattern matches at one position and cannot match in two ways, so that the scan is linear.
const keyPattern = /([\w-]+)\s*=\s*/y;
const tokenPattern = /[^\s",]+/y;

function parseParameters(text: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (let at = 0; at < text.length; ) {
    if (/[\s,]/.test(text.charAt(at))) {
      at++;
      continue;
    }
    const key = matchAt(keyPattern, text, at);
    if (key === undefined) break;
    at += key[0].length;
    const value = text.charAt(at) === '"' ? readQuoted(text, at + 1) : readToken(text, at);
    if (value === undefined) break;
    parameters.set((key[1] ?? '').toLowerCase(), value.text);
    at = value.end;
  }
  return parameters;
}

interface Value {
  readonly text: string;
  /** The position after the value. */
  readonly end: number;
}

function readToken(text: string, start: number): Value | undefined {
  const token = matchAt(tokenPattern, text, start)?.[0];
  return token === undefined ? undefined : { text: token, end: start + token.length };
}

/** Undefined if the closing quote is missing. */
function readQuoted(text: string, start: number): Value | undefined {
  let value = '';
  for (let at = start; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '"') return { text: value, end: at + 1 };
    value += character === '\\' ? text.charAt(++at) : character;
  }
  return undefined;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}
