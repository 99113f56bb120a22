// Converts uploaded files of a checkpoint or an adapter to a GGUF layer.

import { createAsyncQueue } from '../../../base/async-queue.ts';
import type { Digest } from '../../../base/digest.ts';
import { HearthError } from '../../../base/errors.ts';
import { mediaTypes } from '../../../models/store/manifests/manifest.ts';
import type { Store } from '../../../models/store/store.ts';
import type { ModelProgress } from '../management/model-progress.ts';
import { type ModelPart, readPart } from './find-parts.ts';
import type { HeldBlobs } from './held-blobs.ts';
import type { ConvertFiles, ConvertResult } from './model-sources.ts';
import type { NamedBlob } from './recipe.ts';

export interface ConvertOptions {
  readonly store: Store;
  readonly convertFiles: ConvertFiles;
  readonly signal: AbortSignal;
  readonly held: HeldBlobs;
  /** The name of the model in its metadata. */
  readonly name: string;
}

interface ConvertedPart {
  readonly part: ModelPart;
  /** The number of tokens at which texts are to be cut, for embedding models that state it. */
  readonly maxTokens?: number;
}

/** `base`: the model that an adapter is for. Without it, the files are a model. */
export async function* convertPart(
  files: readonly NamedBlob[],
  options: ConvertOptions,
  base?: ModelPart,
): AsyncGenerator<ModelProgress, ConvertedPart> {
  const { store, held } = options;
  const status = base === undefined ? 'converting model' : 'converting adapter';
  yield { status };
  const paths = await locateFiles(files, options);
  const progress = createAsyncQueue<ModelProgress>();
  const work = convert(paths, options, {
    base,
    // The digest of the result is not known yet, but progress bars of clients need one.
    onProgress: (completed, total) => progress.push({ status, digest: '0000000000000000000', total, completed }),
  }).finally(() => progress.end());
  work.catch(() => {});
  yield* progress;
  const { digest, result } = await work;
  held.holdResult(digest);
  return { part: await readPart(store, digest), ...result };
}

interface FileAt {
  readonly name: string;
  readonly path: string;
}

async function locateFiles(files: readonly NamedBlob[], { store, held }: ConvertOptions): Promise<FileAt[]> {
  const located: FileAt[] = [];
  for (const { name, digest } of files) {
    if (!(await store.hasBlob(digest)))
      throw new HearthError('bad_request', `blob "${digest}" not found; create it with POST /api/blobs first`);
    held.hold(digest);
    located.push({ name, path: await store.locateBlob(digest) });
  }
  return located;
}

interface Conversion {
  readonly base: ModelPart | undefined;
  readonly onProgress: (completed: number, total: number) => void;
}

async function convert(
  files: readonly FileAt[],
  { store, convertFiles, signal, name }: ConvertOptions,
  { base, onProgress }: Conversion,
): Promise<{ readonly digest: Digest; readonly result: ConvertResult }> {
  let result: ConvertResult = {};
  const baseOrder = base === undefined ? {} : { base: describeBase(base) };
  const write = async (target: string): Promise<void> => {
    result = await convertFiles({ files, target, name, ...baseOrder, onProgress, signal });
  };
  const { digest } = await store.makeBlob(write, base === undefined ? mediaTypes.model : mediaTypes.adapter);
  return { digest, result };
}

function describeBase({ gguf: { metadata } }: ModelPart) {
  const architecture = String(metadata.get('general.architecture'));
  const count = (key: string): number | undefined => {
    const value = metadata.get(`${architecture}.attention.${key}`);
    return typeof value === 'number' ? value : undefined;
  };
  const heads = count('head_count') ?? 0;
  return { architecture, heads, keyHeads: count('head_count_kv') ?? heads };
}
