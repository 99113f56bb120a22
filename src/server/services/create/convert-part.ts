// Converts uploaded files of a checkpoint or an adapter to a GGUF layer.

import { createAsyncQueue } from '../../../base/async-queue.ts';
import type { Digest } from '../../../base/digest.ts';
import { HearthError } from '../../../base/errors.ts';
import { mediaTypes } from '../../../models/store/manifests/manifest.ts';
import type { Store } from '../../../models/store/store.ts';
import type { ModelProgress } from '../management/model-progress.ts';
import { type ModelPart, readPart } from './find-parts.ts';
import type { HeldBlobs } from './held-blobs.ts';
import type { ConvertFiles, ConvertOrder, ConvertResult } from './model-sources.ts';
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
  /** The image encoder of a model. */
  readonly projector?: ModelPart;
  /** The number of tokens at which texts are to be cut, for embedding models that state it. */
  readonly maxTokens?: number;
}

interface WantedPart {
  /** For an adapter: the model that it is for. Without it, the files are a model. */
  readonly base?: ModelPart;
  /** Whether the image encoder of a model is converted, too. */
  readonly wantsProjector?: boolean;
}

export async function* convertPart(
  files: readonly NamedBlob[],
  options: ConvertOptions,
  { base, wantsProjector = false }: WantedPart = {},
): AsyncGenerator<ModelProgress, ConvertedPart> {
  const status = base === undefined ? 'converting model' : 'converting adapter';
  yield { status };
  const located = { ...options, files: await locateFiles(files, options) };
  const { part, result } = yield* convertTo(status, located, { base });
  const { hasVision = false, ...rest } = result;
  if (!hasVision || !wantsProjector) return { part, ...rest };
  const encoder = 'converting image encoder';
  yield { status: encoder };
  const { part: projector } = yield* convertTo(encoder, located, { base: undefined, part: 'projector' });
  return { part, projector, ...rest };
}

async function* convertTo(
  status: string,
  options: ConvertOptions & { readonly files: readonly FileAt[] },
  what: Pick<Conversion, 'base' | 'part'>,
): AsyncGenerator<ModelProgress, { readonly part: ModelPart; readonly result: ConvertResult }> {
  const { store, held } = options;
  const progress = createAsyncQueue<ModelProgress>();
  const work = convert(options.files, options, {
    ...what,
    // The digest of the result is not known yet, but progress bars of clients need one.
    onProgress: (completed, total) => progress.push({ status, digest: '0000000000000000000', total, completed }),
  }).finally(() => progress.end());
  work.catch(() => {});
  yield* progress;
  const { digest, result } = await work;
  held.holdResult(digest);
  return { part: await readPart(store, digest), result };
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
  readonly part?: ConvertOrder['part'];
  readonly onProgress: (completed: number, total: number) => void;
}

async function convert(
  files: readonly FileAt[],
  { store, convertFiles, signal, name }: ConvertOptions,
  { base, part, onProgress }: Conversion,
): Promise<{ readonly digest: Digest; readonly result: ConvertResult }> {
  let result: ConvertResult = {};
  const order = {
    ...(base === undefined ? {} : { base: describeBase(base) }),
    ...(part === undefined ? {} : { part }),
  };
  const write = async (target: string): Promise<void> => {
    result = await convertFiles({ files, target, name, ...order, onProgress, signal });
  };
  const kind = base === undefined ? (part ?? 'model') : 'adapter';
  const { digest } = await store.makeBlob(write, mediaTypes[kind]);
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
