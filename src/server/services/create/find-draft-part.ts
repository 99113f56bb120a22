// Finds the draft model of a recipe: the weights of another model, an uploaded file, or a file on the server.

import { HearthError } from '../../../base/errors.ts';
import { compareVocabularies } from '../../../formats/gguf/compare-vocabularies.ts';
import { readGgufFile } from '../../../formats/gguf/read-gguf.ts';
import type { Reference } from '../../../formats/modelfile/reference.ts';
import { formatModelName, type ModelName } from '../../../models/name.ts';
import { localNameOf } from '../../../models/package-reference.ts';
import { mediaTypes } from '../../../models/store/manifests/manifest.ts';
import type { Store } from '../../../models/store/store.ts';
import { findParts, type ModelPart, type PartsFinder, readPart } from './find-parts.ts';
import type { Recipe } from './recipe.ts';

/** One part, or none if the recipe has no draft model. Throws `bad_request` if it does not fit the weights in `models`. */
export async function findDraftPart(
  { draft, folder }: Pick<Recipe, 'draft' | 'folder'>,
  models: readonly ModelPart[],
  finder: PartsFinder,
): Promise<ModelPart[]> {
  if (draft === undefined) return [];
  const found = (await findStored(draft, finder)) ?? (await findFile(draft, folder, finder));
  const weights = models.find(({ layer }) => layer.mediaType === mediaTypes.model);
  if (weights !== undefined) await checkFit(finder.store, weights, found);
  return [{ ...found, layer: { ...found.layer, mediaType: mediaTypes.draft } }];
}

/** The weights of a model in the store. */
async function findStored(draft: Reference, { store, hold }: PartsFinder): Promise<ModelPart | undefined> {
  const name = nameOf(draft);
  const stored = name && (await store.find(name));
  const layer = stored?.manifest.layers.find(({ mediaType }) => mediaType === mediaTypes.model);
  if (name === undefined || layer === undefined) return undefined;
  hold(layer.digest);
  const part = await readPart(store, layer.digest);
  return { ...part, layer: { ...part.layer, from: formatModelName(name) } };
}

function nameOf(draft: Reference): ModelName | undefined {
  if (draft.kind === 'package') return localNameOf(draft.package);
  return draft.kind === 'model' ? draft.name : undefined;
}

async function findFile(draft: Reference, folder: string, finder: PartsFinder): Promise<ModelPart> {
  // A plain file name has the form of a model name.
  const found = await findParts([draft], folder, finder).catch((error: unknown) => {
    finder.signal.throwIfAborted();
    if (draft.kind === 'blob' || draft.kind === 'path') throw error;
    throw new HearthError('bad_request', `draft model "${draft.text}" not found; pull it first`);
  });
  const [part] = found;
  if (part?.layer.mediaType !== mediaTypes.model)
    throw new HearthError('bad_request', 'the file of DRAFT does not contain model weights');
  return part;
}

async function checkFit(store: Store, weights: ModelPart, draft: ModelPart): Promise<void> {
  const [own, other] = await Promise.all(
    [weights, draft].map(async ({ layer }) => readGgufFile(await store.locateBlob(layer.digest))),
  );
  const difference = own && other && compareVocabularies(own, other);
  if (difference !== undefined)
    throw new HearthError('bad_request', `the vocabulary of the draft model does not fit: ${difference}`);
}
