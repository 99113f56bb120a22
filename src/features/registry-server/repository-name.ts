// Repository names, tags and digests in request paths. A repository is a namespace and a model, stored under the
// default host, so that any store can be served unchanged and pushed models form an ordinary store.
//
//   repository = namespace "/" model        (the grammar of model names)
//   reference  = tag | "sha256:" 64 lowercase hex digits

import { type Digest, parseDigest } from '../../base/digest.ts';
import { defaultHost, defaultTag, type ModelName, parseModelName } from '../../models/name.ts';
import { protocolError } from './protocol-error.ts';

export interface RepositoryName {
  readonly namespace: string;
  readonly model: string;
}

export function parseRepositoryName({ namespace, model }: RepositoryName): RepositoryName {
  if (toName(namespace, model, defaultTag) === undefined)
    throw protocolError('NAME_INVALID', 'a repository name is <namespace>/<model>, of letters, digits and _ - .');
  return { namespace, model };
}

export function toModelName({ namespace, model }: RepositoryName, tag: string): ModelName {
  const name = toName(namespace, model, tag);
  if (name === undefined) throw protocolError('TAG_INVALID', 'a tag has up to 80 letters, digits and _ - .');
  return name;
}

/** Undefined for parts that contain a separator, which would change the meaning of the others. */
function toName(namespace: string, model: string, tag: string): ModelName | undefined {
  try {
    const name = parseModelName(`${defaultHost}/${namespace}/${model}:${tag}`);
    return name.namespace === namespace && name.model === model && name.tag === tag ? name : undefined;
  } catch {
    return undefined;
  }
}

export function formatRepositoryName({ namespace, model }: RepositoryName): string {
  return `${namespace}/${model}`;
}

/** Stricter than parseDigest, which also accepts file names. */
export function parseWireDigest(text: string): Digest {
  if (!/^sha256:[0-9a-f]{64}$/.test(text))
    throw protocolError('DIGEST_INVALID', 'a digest is sha256: and 64 lowercase hex digits');
  return parseDigest(text);
}

export function isDigestReference(reference: string): boolean {
  return reference.startsWith('sha256:');
}
