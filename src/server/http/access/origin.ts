// Decides which web pages may call the server. Any page in a browser can send requests to this machine; the Origin
// header says where the page comes from.

import { matchesWildcard } from '../../../base/text/wildcard.ts';
import { hearthHeaders } from '../hearth-headers.ts';

const localHosts = ['localhost', '127\\.0\\.0\\.1', '0\\.0\\.0\\.0', '\\[::1\\]'];
const localOrigin = new RegExp(`^https?://(${localHosts.join('|')})(:\\d+)?$`, 'i');

// Desktop applications. Browser extensions are not among them: many run on every page that the user visits.
const applicationOrigin = /^(app|file|tauri|vscode-webview|vscode-file):\/\//i;

export type OriginCheck = (origin: string, host: string | undefined) => boolean;

interface OriginCheckOptions {
  /** The origins of the setting; each may contain one `*` as a wildcard. */
  readonly allowed: readonly string[];
  /** An origin that equals the Host header is a page of this server only if the header names this server. */
  readonly isVerifiedHost: (host: string | undefined) => boolean;
}

export function createOriginCheck({ allowed, isVerifiedHost }: OriginCheckOptions): OriginCheck {
  const patterns = allowed.map((entry) => entry.toLowerCase());
  return (origin, host) =>
    localOrigin.test(origin) ||
    applicationOrigin.test(origin) ||
    patterns.some((pattern) => matchesWildcard(pattern, origin.toLowerCase())) ||
    (isSameOrigin(origin, host) && isVerifiedHost(host));
}

/** Whether the page comes from the address that it calls. Another machine can have lent its name to that address. */
export function isSameOrigin(origin: string, host: string | undefined): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}

const allowedMethods = 'GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS';
const allowedHeaders = [
  'Authorization',
  'Content-Type',
  'User-Agent',
  'Accept',
  'X-Requested-With',
  'X-API-Key',
  'Traceparent',
  'Tracestate',
];
// The SDKs of OpenAI, Anthropic and MCP send many headers, and new ones with new versions.
const sdkHeader = /^(?:x-stainless|openai|anthropic|mcp)-[a-z0-9-]{1,60}$/i;
// Characters of the header with the names that a page asks for.
const maxRequested = 4096;
// Response headers that a page may read.
const exposedHeaders = [
  'X-Request-Id',
  'Request-Id',
  'Retry-After',
  'Server-Timing',
  'Mcp-Session-Id',
  ...Object.values(hearthHeaders),
].join(',');
const preflightSeconds = 12 * 60 * 60;

/** Headers of a response to an allowed page. */
export function corsHeaders(origin: string): Record<string, string> {
  return { 'access-control-allow-origin': origin, vary: 'Origin', 'access-control-expose-headers': exposedHeaders };
}

/** Headers of the response to a preflight request. `requested`: the names of the headers that the page wants to send. */
export function preflightHeaders(origin: string, requested = ''): Record<string, string> {
  const names = requested.length > maxRequested ? [] : requested.split(',').map((name) => name.trim());
  return {
    'access-control-allow-origin': origin,
    vary: 'Origin, Access-Control-Request-Headers',
    'access-control-allow-methods': allowedMethods,
    'access-control-allow-headers': [...allowedHeaders, ...names.filter((name) => sdkHeader.test(name))].join(','),
    'access-control-max-age': String(preflightSeconds),
  };
}
