// Whether the store has the model of a package.

import { HearthError } from '../../../base/errors.ts';
import { formatModelName, type ModelName } from '../../../models/name.ts';
import type { PackageOrigin } from '../../../models/package-origin.ts';
import { type PackageReference, packageIdOf } from '../../../models/package-reference.ts';
import { digestsOf } from '../../../models/store/manifests/manifest.ts';
import { decodeModelOrigin } from '../../../models/store/manifests/model-config.ts';
import type { Store, StoredModel } from '../../../models/store/store.ts';

/** Undefined if there is no such model, or if it is incomplete and must be pulled again. */
export async function findPackageModel(
  store: Store,
  name: ModelName,
  reference: PackageReference,
): Promise<PackageOrigin | undefined> {
  const model = await store.find(name);
  if (model === undefined) return undefined;
  const id = packageIdOf(reference);
  const origin = await readOrigin(store, model);
  if (origin?.package !== id) throw taken(name, id);
  const isOther = reference.path !== undefined && reference.path !== origin.path;
  return isOther || !(await isComplete(store, model)) ? undefined : origin;
}

/** Undefined for a model that did not come from a package. */
export async function readOrigin(store: Store, { manifest }: StoredModel): Promise<PackageOrigin | undefined> {
  return decodeModelOrigin(await store.readBlob(manifest.config));
}

/** Whether the store has all files of the model. */
export async function isComplete(store: Store, { manifest }: StoredModel): Promise<boolean> {
  // Not `hasBlob`, which would keep the blobs although a newer version replaces them.
  const located = digestsOf(manifest).map((digest) => store.locateBlob(digest));
  return Promise.all(located).then(
    () => true,
    () => false,
  );
}

function taken(name: ModelName, id: string): HearthError {
  const text = formatModelName(name);
  const message = `the model ${text} exists and is not from ${id}; choose another name with --as (the field "as"), or delete it`;
  return new HearthError('bad_request', message);
}
