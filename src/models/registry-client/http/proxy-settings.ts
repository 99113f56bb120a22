// The proxy settings, and which requests go through a proxy.

import { isPrivateHost } from '../../../base/net/private-address.ts';

export interface ProxySettings {
  /** Empty for no proxy. */
  readonly http: string;
  readonly https: string;
  /** Hosts to reach directly, in the format of `no_proxy`. */
  readonly except: string;
}

/** Whether a proxy resolves the host's name. */
export function isProxied(proxy: ProxySettings | undefined, { protocol, hostname, port }: URL): boolean {
  if (proxy === undefined || isPrivateHost(hostname)) return false;
  // Without a proxy of its own, TLS uses the other one.
  const address = protocol === 'https:' ? proxy.https || proxy.http : proxy.http;
  const effectivePort = port || (protocol === 'https:' ? '443' : '80');
  return address !== '' && !isExcepted(hostname, effectivePort, proxy.except);
}

/** `no_proxy`: entries `host`, `.domain`, `*.domain` or `*`, each with an optional port. */
function isExcepted(hostname: string, port: string, except: string): boolean {
  return except
    .toLowerCase()
    .split(/[,\s]/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      const [, host = entry, ownPort = port] = /^(.*):(\d{1,5})$/.exec(entry) ?? [];
      const domain = host.replace(/^\*?\./, '');
      return ownPort === port && (host === '*' || hostname === domain || hostname.endsWith(`.${domain}`));
    });
}
