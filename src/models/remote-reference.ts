// A model of a remote, as FROM names it: `remote://NAME/model`. The model has the name that the remote gives it, which may
// contain slashes.

import { HearthError } from '../base/errors.ts';

export interface RemoteReference {
  /** The name of the remote. */
  readonly remote: string;
  readonly model: string;
}

const scheme = 'remote://';
const remoteName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const servedName = /^[\x21-\x7e]{1,300}$/;

export function isRemoteName(text: string): boolean {
  return remoteName.test(text);
}

/** Whether a server can have a model of this name. */
export function isServedName(text: string): boolean {
  return servedName.test(text);
}

/** Undefined for a text that is not such a reference. Throws `bad_request` for an invalid one. */
export function parseRemoteReference(text: string): RemoteReference | undefined {
  if (!text.startsWith(scheme)) return undefined;
  const rest = text.slice(scheme.length);
  const slash = rest.indexOf('/');
  const reference = {
    remote: slash === -1 ? rest : rest.slice(0, slash),
    model: slash === -1 ? '' : rest.slice(slash + 1),
  };
  if (isRemoteName(reference.remote) && isServedName(reference.model)) return reference;
  throw new HearthError('bad_request', 'a model of a remote must be written as remote://NAME/model');
}

export function formatRemoteReference({ remote, model }: RemoteReference): string {
  return `${scheme}${remote}/${model}`;
}
