// A remote as it is stored: a name and its endpoints. The file may be edited by hand or damaged, so every field is
// checked.

import { isAbsolute } from 'node:path';
import { badRequest } from '../../../base/errors.ts';
import { withoutTrailing } from '../../../base/text/without-trailing.ts';
import { isRemoteName, isServedName } from '../../../models/remote-reference.ts';
import { type Endpoint, remoteKinds } from '../endpoint.ts';

export interface RemoteRecord {
  readonly name: string;
  readonly endpoints: readonly Endpoint[];
}

export const remoteLimits = { remotes: 1000, endpoints: 1000, url: 2000 } as const;

const kinds: readonly string[] = ['auto', ...remoteKinds];

/** What an administrator says about an endpoint. */
type EndpointFields = Omit<Endpoint, 'id'>;

/** Throws `bad_request`. The id of an endpoint is its URL: a remote has each only once. */
export function checkEndpoint(value: unknown): Endpoint {
  const {
    url,
    kind = 'auto',
    servedModel = '',
    keyRef = '',
    caFile = '',
    events,
  } = (value ?? {}) as Partial<Record<keyof EndpointFields, unknown>>;
  if (typeof kind !== 'string' || !kinds.includes(kind)) throw badRequest(`kind must be one of ${kinds.join(', ')}`);
  if (typeof servedModel !== 'string' || (servedModel !== '' && !isServedName(servedModel)))
    throw badRequest('model must be the name of a model at the remote');
  if (typeof keyRef !== 'string' || (keyRef !== '' && !isKeyReference(keyRef)))
    throw badRequest('the key must be file: and an absolute path, or env: and the name of a variable');
  if (typeof caFile !== 'string' || (caFile !== '' && !isAbsolute(caFile)))
    throw badRequest('the file of authorities must be an absolute path');
  const checked = checkUrl(url);
  return {
    id: checked,
    url: checked,
    kind: kind as Endpoint['kind'],
    servedModel,
    keyRef,
    caFile,
    ...checkEvents(events),
  };
}

/** No field if there are none, so that files of older versions stay as they are. */
function checkEvents(events: unknown): Pick<Endpoint, 'events'> {
  if (events === undefined || events === '') return {};
  if (typeof events === 'string' && isPortList(events)) return { events };
  throw badRequest(
    'events must be the port of the cache events, and after a comma the one that repeats them: 5557,5558',
  );
}

function isPortList(text: string): boolean {
  return (
    /^\d{1,5}(,\d{1,5})?$/.test(text) && text.split(',').every((port) => Number(port) > 0 && Number(port) < 2 ** 16)
  );
}

function isKeyReference(text: string): boolean {
  if (/^env:[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(text)) return true;
  return text.startsWith('file:') && text.length < remoteLimits.url && isAbsolute(text.slice('file:'.length));
}

/** Clients often give the address of the OpenAI API. */
function checkUrl(value: unknown): string {
  const wrong = badRequest('url must be an address such as https://gpu1.example:8000, without user, query or fragment');
  if (typeof value !== 'string' || value.length > remoteLimits.url || !URL.canParse(value)) throw wrong;
  const url = new URL(value);
  const isPlain = [url.username, url.password, url.search, url.hash].every((part) => part === '');
  if (!/^https?:$/.test(url.protocol) || !isPlain) throw wrong;
  return `${url.origin}${withoutTrailing(url.pathname, /\//).replace(/\/v1$/, '')}`;
}

/** Throws `bad_request`. */
export function checkRemote(value: unknown): RemoteRecord {
  const { name, endpoints } = (value ?? {}) as { readonly name?: unknown; readonly endpoints?: unknown };
  if (typeof name !== 'string' || !isRemoteName(name))
    throw badRequest('the name of a remote must have 1 to 64 letters, digits, dots, underscores or hyphens');
  if (!Array.isArray(endpoints) || endpoints.length === 0 || endpoints.length > remoteLimits.endpoints)
    throw badRequest(`a remote must have 1 to ${remoteLimits.endpoints} endpoints`);
  const checked = endpoints.map(checkEndpoint);
  if (new Set(checked.map(({ id }) => id)).size < checked.length) throw badRequest('two endpoints have the same url');
  return { name, endpoints: checked };
}

export function encodeRemotes(remotes: readonly RemoteRecord[]): string {
  return `${JSON.stringify({ version: 1, remotes }, null, 2)}\n`;
}

/** Throws if the text is not a valid file. */
export function decodeRemotes(text: string): RemoteRecord[] {
  const value = JSON.parse(text) as { readonly version?: unknown; readonly remotes?: unknown } | null;
  if (value?.version !== 1 || !Array.isArray(value.remotes) || value.remotes.length > remoteLimits.remotes)
    throw badRequest('not a file of remotes');
  const remotes = value.remotes.map(checkRemote);
  if (new Set(remotes.map(({ name }) => name)).size < remotes.length)
    throw badRequest('two remotes have the same name');
  return remotes;
}
