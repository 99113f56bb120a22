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
  const [, scheme = '', rest = ''] = /^\s*(bearer|basic)\b\s*(.*)$/is.exec(header) ?? [];
  if (scheme === '') return undefined;
  const parameters = parseParameters(rest);
  return {
    scheme: scheme.toLowerCase() as Challenge['scheme'],
    realm: parameters.get('realm') ?? '',
    service: parameters.get('service') ?? '',
    scopes: (parameters.get('scope') ?? '').split(' ').filter((scope) => scope !== ''),
  };
}

function parseParameters(text: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const [, key = '', quoted, token] of text.matchAll(/([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))/g))
    parameters.set(key.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? token ?? '');
  return parameters;
}
