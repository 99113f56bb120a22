// Where those who call a server find it, from the same setting that tells the server where to listen.

import type { ListenAddress } from './kinds.ts';

// "Every address of this machine" is one to listen on, not one to call.
const callable: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Without a slash at its end, so that paths can be appended. */
export function toServerUrl({ host, port, secure, path = '' }: ListenAddress): string {
  const name = callable[host] ?? host;
  const authority = name.includes(':') ? `[${name}]` : name;
  const usual = secure ? 443 : 80;
  return `${secure ? 'https' : 'http'}://${authority}${port === usual ? '' : `:${port}`}${path}`;
}
