// Pulls of models whose files another program has downloaded: the files become blobs by a link, without a download. They
// are not changed, and the blobs stay if the other program removes its files.

import { basename } from 'node:path';
import { type Digest, parseDigest } from '../../base/digest.ts';
import { messageOf, requestCanceled } from '../../base/errors.ts';
import { formatModelName, type ModelName } from '../../models/name.ts';
import { mediaTypes } from '../../models/store/manifests/manifest.ts';
import type { Store } from '../../models/store/store.ts';
import type { CreateModel } from '../../server/services/create/create-model.ts';
import { createHeldBlobs } from '../../server/services/create/held-blobs.ts';
import type { ModelProgress } from '../../server/services/management/model-progress.ts';
import type { PullModel } from '../../server/services/management/pull-model.ts';
import { requireModel } from '../../server/services/models/model-access.ts';
import { type CachedFile, type CachedModel, findCached, isHuggingFace } from './cached-model.ts';

interface CacheServices {
  readonly store: Store;
  readonly listCached: () => Promise<CachedModel[]>;
  readonly createModel: CreateModel;
}

const programs = { huggingface: 'the Hugging Face cache', lmstudio: "LM Studio's folder" } as const;

/** A model that the store has is pulled from the registry, which may have a newer one. */
export function withCachedModels(pullModel: PullModel, services: CacheServices): PullModel {
  return async function* pullCached(input, signal) {
    const { name } = input.model;
    requireModel(name);
    const isMissing = isHuggingFace(name) && (await services.store.find(name).catch(() => undefined)) === undefined;
    const cached = isMissing ? findCached(await services.listCached(), name) : undefined;
    if (cached === undefined) return yield* pullModel(input, signal);
    const file = basename(cached.weights[0]?.name ?? '');
    yield { status: `using ${file} from ${programs[cached.program]}` };
    try {
      yield* createFromFiles(services, name, cached, signal);
    } catch (error) {
      if (signal.aborted) throw requestCanceled();
      // The file may be damaged or incomplete.
      yield { status: `${file} cannot be used: ${messageOf(error)}` };
      return yield* pullModel(input, signal);
    }
    yield { status: 'success' };
  };
}

async function* createFromFiles(
  { store, createModel }: CacheServices,
  name: ModelName,
  { weights, projector }: CachedModel,
  signal: AbortSignal,
): AsyncGenerator<ModelProgress> {
  const held = createHeldBlobs(store);
  try {
    const files: Record<string, Digest> = {};
    for (const file of [...weights, ...(projector ? [projector] : [])]) {
      signal.throwIfAborted();
      yield { status: `verifying ${basename(file.name)}` };
      const { digest } = await store.linkBlob(file.path, { mediaType: mediaTypes.model, expected: hashOf(file) });
      held.holdResult(digest);
      files[file.name] = digest;
    }
    const fields = { from: '', files, adapters: {}, parameters: {}, licenses: [] };
    const recipe = { modelfile: '', path: '', fields, localFiles: false, quantization: undefined };
    for await (const progress of createModel({ name, ...recipe }, signal)) {
      if (progress.status !== 'success') yield progress;
    }
  } finally {
    await held.release();
  }
}

/** Hugging Face names a large file by its hash. */
function hashOf({ path }: CachedFile): Digest | undefined {
  const name = basename(path);
  return /^[0-9a-f]{64}$/.test(name) ? parseDigest(`sha256:${name}`) : undefined;
}

/** For lists. */
export function nameOfCached({ name, weights }: CachedModel): string {
  return name === undefined ? basename(weights[0]?.name ?? '') : formatModelName(name);
}
