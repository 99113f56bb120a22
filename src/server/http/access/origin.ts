// Decides which web pages may call the server. Any page in a browser can send requests to this machine; the Origin
// header says where the page comes from.

const localHosts = ['localhost', '127\\.0\\.0\\.1', '0\\.0\\.0\\.0', '\\[::1\\]'];
const localOrigin = new RegExp(`^https?://(${localHosts.join('|')})(:\\d+)?$`, 'i');

// Desktop applications and browser extensions: the user has installed them.
const applicationOrigin =
  /^(app|file|tauri|vscode-webview|vscode-file|chrome-extension|safari-extension|moz-extension|ms-browser-extension):\/\//i;

export type OriginCheck = (origin: string, host: string | undefined) => boolean;

/** `extra`: the origins of the setting; each may contain one `*` as a wildcard. */
export function createOriginCheck(extra: readonly string[]): OriginCheck {
  const patterns = extra.map(toPattern);
  return (origin, host) =>
    isOwn(origin, host) ||
    localOrigin.test(origin) ||
    applicationOrigin.test(origin) ||
    patterns.some((pattern) => pattern.test(origin));
}

function isOwn(origin: string, host: string | undefined): boolean {
  return host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);
}

function toPattern(entry: string): RegExp {
  const [before = '', ...after] = entry.split('*');
  const quote = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`^${[before, after.join('*')].map(quote).join(after.length > 0 ? '.*' : '')}$`, 'i');
}

const allowedMethods = 'GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS';
const stainless = [
  'lang',
  'package-version',
  'os',
  'arch',
  'runtime',
  'runtime-version',
  'async',
  'custom-poll-interval',
  'helper-method',
  'poll-helper',
  'retry-count',
  'timeout',
];
const allowedHeaders = [
  'Authorization',
  'Content-Type',
  'User-Agent',
  'Accept',
  'X-Requested-With',
  'OpenAI-Beta',
  ...stainless.map((name) => `x-stainless-${name}`),
].join(',');
// Response headers that a page may read.
const exposedHeaders = 'X-Request-Id,Retry-After,X-Hearth-Dropped-Tokens,X-Hearth-Dropped-Messages';
const preflightSeconds = 12 * 60 * 60;

/** Headers of a response to an allowed page. */
export function corsHeaders(origin: string, preflight: boolean): Record<string, string> {
  const headers = { 'access-control-allow-origin': origin, vary: 'Origin' };
  if (!preflight) return { ...headers, 'access-control-expose-headers': exposedHeaders };
  return {
    ...headers,
    'access-control-allow-methods': allowedMethods,
    'access-control-allow-headers': allowedHeaders,
    'access-control-max-age': String(preflightSeconds),
  };
}
