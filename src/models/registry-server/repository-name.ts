// What a path names. A repository here is a namespace and a model; it is kept as the default library's, so that any
// store can be served as it is and what was pushed is an ordinary store.
//
//   repository = namespace "/" model        (the grammar of model names)
//   reference  = tag | "sha256:" 64 lower-case hex digits

import { type Digest, parseDigest } from '../../base/digest.ts';
import { defaultHost, defaultTag, type ModelName, parseModelName } from '../name.ts';
import { protocolError } from './protocol-error.ts';

export interface RepositoryName {
  readonly namespace: string;
  readonly model: string;
}

export function parseRepositoryName({ namespace, model }: RepositoryName): RepositoryName {
  if (toName(namespace, model, defaultTag) === undefined)
    throw protocolError('NAME_INVALID', 'the name of a repository is <namespace>/<model>, of letters, digits and _ - .');
  return { namespace, model };
}

export function toModelName({ namespace, model }: RepositoryName, tag: string): ModelName {
  const name = toName(namespace, model, tag);
  if (name === undefined) throw protocolError('TAG_INVALID', 'a tag has up to 80 letters, digits and _ - .');
  return name;
}

/** Parts with a separator in them would be read as others: what comes out must be what went in. */
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

/** Stricter than the store, which takes file names too. */
export function parseWireDigest(text: string): Digest {
  if (!/^sha256:[0-9a-f]{64}$/.test(text))
    throw protocolError('DIGEST_INVALID', 'a digest is sha256: and 64 lower-case hex digits');
  return parseDigest(text);
}

export function isDigestReference(reference: string): boolean {
  return reference.startsWith('sha256:');
}
