// The address of a registry, and the repository of a model in it.

import { HearthError } from '../../../base/errors.ts';
import { defaultHost, type ModelName } from '../../name.ts';

export interface RegistryAddress {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Whether the caller accepts a registry without TLS. */
  readonly insecure: boolean;
  /** The host that the credentials are configured for, if it is not that of the origin. */
  readonly credentialsHost?: string;
  /** Another host that gets them, to issue tokens. */
  readonly tokenHost?: string;
}

// The registry of Docker Hub has other names than its models.
const dockerHub = {
  host: 'docker.io',
  origin: 'https://registry-1.docker.io',
  tokenHost: 'auth.docker.io',
} as const;

export interface Repository {
  readonly registry: RegistryAddress;
  /** `<namespace>/<model>` */
  readonly path: string;
}

interface AddressOptions {
  /** The registry for names without a host: `host` or `host:port`, optionally with a scheme. */
  readonly defaultRegistry: string;
  readonly insecure: boolean;
  /** The name as the user wrote it, for its scheme. */
  readonly text: string;
}

export function toRepository(name: ModelName, options: AddressOptions): Repository {
  return { registry: toAddress(name, options), path: `${name.namespace}/${name.model}` };
}

function toAddress({ host }: ModelName, { defaultRegistry, insecure, text }: AddressOptions): RegistryAddress {
  if (host.toLowerCase() === dockerHub.host) {
    const { origin, tokenHost } = dockerHub;
    return { origin, insecure: false, credentialsHost: dockerHub.host, tokenHost };
  }
  const isDefault = host === defaultHost;
  // The operator configured a default registry without TLS, so callers need not pass `insecure`.
  const trusted = isDefault && defaultRegistry.startsWith('http://');
  const scheme = schemeOf(text) ?? (isDefault ? schemeOf(defaultRegistry) : undefined);
  if (scheme === 'http' && !insecure && !trusted) throw new HearthError('bad_request', 'insecure protocol http');
  const location = isDefault ? defaultRegistry.replace(/^https?:\/\//, '') : host;
  const url = parseOrigin(`${scheme ?? (insecure ? 'http' : 'https')}://${location}`);
  return { origin: url.origin, insecure: insecure || trusted };
}

function schemeOf(text: string): 'http' | 'https' | undefined {
  return /^(https?):\/\//.exec(text)?.[1] as 'http' | 'https' | undefined;
}

function parseOrigin(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.pathname !== '/' || url.search !== '')
    throw new HearthError('bad_request', 'invalid model name');
  return url;
}
