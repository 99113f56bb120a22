// Models of remotes: `FROM remote://NAME/model`, or FROM a model that is one.

import { HearthError } from '../../../base/errors.ts';
import type { ModelDetails } from '../../../models/details.ts';
import type { Quantization } from '../../../models/quantization.ts';
import type { RemoteReference } from '../../../models/remote-reference.ts';
import { mediaTypes } from '../../../models/store/manifests/manifest.ts';
import { decodeRemoteModel, type StoredRemoteModel } from '../../../models/store/manifests/model-config.ts';
import type { Store, StoredModel } from '../../../models/store/store.ts';
import { remoteLayerOf } from '../models/open-model.ts';
import type { Recipe } from './recipe.ts';

/** Asks the remote about its model. Throws if the remote does not exist, or does not have the model. */
export type DescribeRemote = (
  reference: RemoteReference,
  signal: AbortSignal,
) => Promise<Pick<StoredRemoteModel, 'capabilities' | 'contextLength'>>;

interface RemoteSources {
  readonly recipe: Recipe;
  readonly base: StoredModel | undefined;
  readonly quantization: Quantization | undefined;
}

/** Undefined for a recipe with weights. */
export async function findRemoteModel(
  { recipe, base, quantization }: RemoteSources,
  { store, describeRemote }: { readonly store: Store; readonly describeRemote: DescribeRemote },
  signal: AbortSignal,
): Promise<StoredRemoteModel | undefined> {
  const { sources, adapters, adapterCheckpoint, draft } = recipe;
  const reference = sources.find((source) => source.kind === 'remote');
  const inherited = base && (await readRemoteModel(store, base));
  if (reference === undefined && inherited === undefined) return undefined;
  const hasParts = sources.length > 1 || adapters.length > 0 || [adapterCheckpoint, draft, quantization].some(Boolean);
  if (hasParts) throw new HearthError('bad_request', 'a model of a remote has no files, adapters or draft model here');
  if (reference === undefined) return inherited;
  const { remote: host, model } = reference.remote;
  return { host, model, ...(await describeRemote(reference.remote, signal)) };
}

async function readRemoteModel(store: Store, { manifest }: StoredModel): Promise<StoredRemoteModel | undefined> {
  return remoteLayerOf(manifest) && decodeRemoteModel(await store.readBlob(manifest.config));
}

/** Models with the same layer are the same model. */
export function toRemoteLayer({ host: remote, model }: StoredRemoteModel) {
  return { mediaType: mediaTypes.remote, text: `${JSON.stringify({ remote, model })}\n` };
}

export const remoteDetails: ModelDetails = {
  format: 'remote',
  family: '',
  families: null,
  parameterSize: '',
  quantizationLevel: '',
};
