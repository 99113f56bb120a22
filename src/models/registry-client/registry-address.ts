// Where a library is, and which repository of it holds a model.

import { HearthError } from '../../base/errors.ts';
import { defaultHost, type ModelName } from '../name.ts';

export interface RegistryAddress {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Whether the caller has accepted that nobody proves who is at the other end. */
  readonly insecure: boolean;
}

export interface Repository {
  readonly registry: RegistryAddress;
  /** `<namespace>/<model>` */
  readonly path: string;
}

export interface AddressOptions {
  /** Where models are whose name has no host: `host`, `host:port`, or either behind a scheme. */
  readonly defaultRegistry: string;
  readonly insecure: boolean;
  /** As somebody wrote it: the scheme counts. */
  readonly text: string;
}

export function toRepository(name: ModelName, options: AddressOptions): Repository {
  return { registry: toAddress(name, options), path: `${name.namespace}/${name.model}` };
}

function toAddress({ host }: ModelName, { defaultRegistry, insecure, text }: AddressOptions): RegistryAddress {
  const isDefault = host === defaultHost;
  // Whoever runs the server has written down that theirs is without encryption; then callers need not say so.
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
