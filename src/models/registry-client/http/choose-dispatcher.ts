// Chooses the connections for a request: direct ones to checked addresses, or a proxy. Imported only when a request is
// sent, because undici is large.

import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { SecureContext } from 'node:tls';
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { HearthError } from '../../../base/errors.ts';
import { createGuardedLookup, createPinnedLookup, resolveHost } from '../../../base/net/guarded-lookup.ts';
import { isAddress, isWithinReach, type Reach } from '../../../base/net/private-address.ts';
import { type ClientTls, createClientContext } from '../../../base/tls/client-context.ts';
import { isProxied, type ProxySettings } from './proxy-settings.ts';

/** `named`: the host that the caller named. `referred`: a host that the registry refers to. */
export type Destination =
  | { readonly kind: 'named'; readonly addresses: readonly LookupAddress[] }
  | { readonly kind: 'referred'; readonly reach: Reach };

// Each holds the idle connections to one registry.
const maxPinnedAgents = 32;

/** Only the host that the caller named sees the certificate of this machine. */
type TlsContexts = Readonly<Record<Destination['kind'], SecureContext | undefined>>;

export async function createTlsContexts(tls: ClientTls | undefined): Promise<TlsContexts> {
  if (tls === undefined) return { named: undefined, referred: undefined };
  const named = await createClientContext(tls, { showsCertificate: true });
  return { named, referred: tls.cert === '' ? named : await createClientContext(tls, { showsCertificate: false }) };
}

interface DispatcherOptions {
  readonly proxy: ProxySettings | undefined;
  readonly tls: TlsContexts;
}

export function createDispatchers(
  agentOptions: Agent.Options & { readonly connect: object },
  { proxy, tls }: DispatcherOptions,
) {
  const createAgent = (kind: Destination['kind'], lookup?: LookupFunction): Agent => {
    const connect = { ...agentOptions.connect, ...toConnectOptions(tls[kind]), ...(lookup ? { lookup } : {}) };
    return new Agent({ ...agentOptions, connect });
  };
  const plain = createAgent('named');
  const guarded: Readonly<Record<Reach, Agent>> = {
    public: createAgent('referred', lookupWithin('public')),
    private: createAgent('referred', lookupWithin('private')),
    loopback: createAgent('referred', lookupWithin('loopback')),
  };
  const pinned = createPinnedAgents((lookup) => createAgent('named', lookup));
  const proxied = createProxyAgent(agentOptions, { proxy, tls });

  return {
    /** Throws `registry_invalid_response` if the registry must not refer to the URL. */
    async choose(url: URL, destination: Destination): Promise<Dispatcher> {
      const { hostname } = url;
      const useProxy = proxied !== undefined && isProxied(proxy, url);
      if (destination.kind === 'referred') {
        const { reach } = destination;
        if (!isWithinReach(await knownAddresses(hostname, useProxy), reach)) throw privateAddressError(hostname);
        return useProxy ? proxied : guarded[reach];
      }
      if (useProxy) return proxied;
      return destination.addresses.length === 0 ? plain : pinned.get(destination.addresses);
    },
    async close(): Promise<void> {
      const agents = [plain, ...Object.values(guarded), ...pinned.all(), ...(proxied ? [proxied] : [])];
      await Promise.all(agents.map((agent) => agent.destroy()));
    },
  };
}

export type Dispatchers = ReturnType<typeof createDispatchers>;

/** One agent per set of addresses: a connection is never reused for another set. */
function createPinnedAgents(create: (lookup: LookupFunction) => Agent) {
  const agents = new Map<string, Agent>();
  const keyOf = (addresses: readonly LookupAddress[]): string =>
    addresses
      .map(({ address }) => address)
      .sort()
      .join(' ');
  return {
    get(addresses: readonly LookupAddress[]): Agent {
      const key = keyOf(addresses);
      const agent = agents.get(key) ?? create(createPinnedLookup(addresses));
      agents.delete(key);
      agents.set(key, agent);
      const [oldest] = agents.keys();
      if (agents.size > maxPinnedAgents && oldest !== undefined) {
        // Waits for its running requests.
        void agents.get(oldest)?.close();
        agents.delete(oldest);
      }
      return agent;
    },
    all: () => [...agents.values()],
  };
}

/** The addresses that the lookup of a direct connection does not see. */
async function knownAddresses(hostname: string, useProxy: boolean): Promise<string[]> {
  if (isAddress(hostname)) return [hostname];
  if (!useProxy) return [];
  // A proxy may know names that this machine does not.
  return (await resolveHost(hostname)).addresses.map(({ address }) => address);
}

const lookupWithin = (reach: Reach): LookupFunction => createGuardedLookup({ reach, refuse: privateAddressError });

function privateAddressError(hostname: string): HearthError {
  const message = `the registry redirects to ${hostname}, which is a private address: refused`;
  return new HearthError('registry_invalid_response', message);
}

function toConnectOptions(secureContext: SecureContext | undefined): { readonly secureContext?: SecureContext } {
  return secureContext === undefined ? {} : { secureContext };
}

function createProxyAgent(options: Agent.Options, { proxy, tls }: DispatcherOptions): Dispatcher | undefined {
  if (proxy === undefined || (proxy.http === '' && proxy.https === '')) return undefined;
  const { connect: _, ...rest } = options;
  // Excepted hosts do not get here.
  const addresses = { httpProxy: proxy.http, httpsProxy: proxy.https, noProxy: '' };
  const requestTls = tls.referred === undefined ? {} : { requestTls: toConnectOptions(tls.referred) };
  return new EnvHttpProxyAgent({ ...rest, ...addresses, ...requestTls });
}
