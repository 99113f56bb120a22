// Proxies: which ones are used for registries, and whether they accept connections.

import { connect } from 'node:net';
import { describeNetworkError } from '../../../../models/registry-client/http/network-error.ts';
import { type CheckFinding, defineCheck, ok, usualTimeLimit, warning } from '../check.ts';

export interface ProxyFacts {
  /** Without user names and passwords. */
  readonly proxies: readonly { readonly address: string; readonly failure?: string }[];
  /** HEARTH_NO_PROXY. */
  readonly except: string;
}

// Milliseconds.
const connectTime = 3000;

export const proxiesCheck = defineCheck<ProxyFacts>({
  name: 'proxies',
  timeLimit: usualTimeLimit,
  async gather({ settings: { httpProxy, httpsProxy, noProxy } }, signal) {
    const given = [httpsProxy, httpProxy].filter((address) => address !== '');
    const addresses = [...new Set(given.map((text) => new URL(text).origin))];
    const proxies = await Promise.all(
      addresses.map(async (address) => ({ address, ...(await tryConnecting(new URL(address), signal)) })),
    );
    return { proxies, except: noProxy };
  },
  judge: judgeProxies,
});

function tryConnecting({ hostname, port, protocol }: URL, signal: AbortSignal): Promise<{ readonly failure?: string }> {
  const defaultPort = protocol === 'https:' ? 443 : 80;
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || defaultPort,
    timeout: connectTime,
  });
  const destroy = (): void => void socket.destroy();
  signal.addEventListener('abort', destroy, { once: true });
  return new Promise<{ readonly failure?: string }>((resolve) => {
    socket.once('connect', () => resolve({}));
    socket.once('timeout', () => resolve({ failure: 'it does not answer' }));
    socket.once('error', (error) => resolve({ failure: describeNetworkError(error) }));
    socket.once('close', () => resolve({ failure: 'the connection was closed' }));
  }).finally(() => {
    signal.removeEventListener('abort', destroy);
    socket.destroy();
  });
}

export function judgeProxies({ proxies, except }: ProxyFacts): CheckFinding[] {
  if (proxies.length === 0) return [ok('none')];
  const exceptions = except === '' ? '' : `, except for ${except}`;
  return proxies.map(({ address, failure }) =>
    failure === undefined
      ? ok(`${address}${exceptions}`)
      : warning(
          `the proxy ${address} cannot be reached: ${failure}`,
          'correct HEARTH_HTTPS_PROXY or HTTPS_PROXY, or add the registry to HEARTH_NO_PROXY',
        ),
  );
}
