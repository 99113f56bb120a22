// Converts weights to another data type with llama.cpp's quantizer.

import { rm, writeFile } from 'node:fs/promises';
import { createAsyncQueue } from '../../../base/async-queue.ts';
import type { Digest } from '../../../base/digest.ts';
import { HearthError } from '../../../base/errors.ts';
import { readDialect, translatedBytes } from '../../../formats/gguf/dialect/read-dialect.ts';
import { canReadTranslated } from '../../../formats/gguf/dialect/translated-source.ts';
import { checkImatrix } from '../../../formats/gguf/imatrix.ts';
import { readGgufFile } from '../../../formats/gguf/read-gguf.ts';
import type { QuantizeFile } from '../../../inference/engine/quantize-file.ts';
import { derivedPath } from '../../../models/derived-file.ts';
import { fileTypeOf, isUnquantized, type Quantization } from '../../../models/quantization.ts';
import { mediaTypes } from '../../../models/store/manifests/manifest.ts';
import type { Store } from '../../../models/store/store.ts';
import type { ModelProgress } from '../management/model-progress.ts';
import { describeGguf } from '../models/describe-gguf.ts';
import { type ModelPart, readPart } from './find-parts.ts';

export interface QuantizeOptions {
  readonly quantization: Quantization;
  readonly quantizeFile: QuantizeFile;
  /** An uploaded importance matrix. */
  readonly imatrix: Digest | undefined;
  readonly store: Store;
  readonly signal: AbortSignal;
  readonly hold: (digest: Digest) => void;
}

export async function* quantizePart(
  part: ModelPart,
  options: QuantizeOptions,
): AsyncGenerator<ModelProgress, ModelPart[]> {
  const { quantization, store, hold } = options;
  const from = describeGguf(part.gguf).quantizationLevel;
  if (from === quantization) return [part];
  if (!isUnquantized(from))
    throw new HearthError('bad_request', 'quantization is only supported for F16, BF16 and F32 models');
  await checkMatrix(part, options);
  const status = `quantizing ${from} model to ${quantization}`;
  yield { status };
  const progress = createAsyncQueue<ModelProgress>();
  const result = quantize(part, options, (completed, total) => {
    // The digest of the result is not known yet, but progress bars of clients need one.
    progress.push({ status, digest: '0000000000000000000', total, completed });
  }).finally(() => progress.end());
  result.catch(() => {});
  yield* progress;
  const digest = await result;
  hold(digest);
  yield { status: `creating new layer ${digest}` };
  return [await readPart(store, digest), ...(await projectorOf(part, options))];
}

async function checkMatrix({ gguf }: ModelPart, { imatrix, store, hold }: QuantizeOptions): Promise<void> {
  if (imatrix === undefined) return;
  if (!(await store.hasBlob(imatrix)))
    throw new HearthError('bad_request', `blob "${imatrix}" not found; create it with POST /api/blobs first`);
  hold(imatrix);
  checkImatrix(await readGgufFile(await store.locateBlob(imatrix), { maxArray: 0 }), gguf);
}

/** The quantizer drops the image encoder that the file of the weights contains, so it becomes a file of its own. */
async function projectorOf({ layer }: ModelPart, { store, hold }: QuantizeOptions): Promise<ModelPart[]> {
  const path = await store.locateBlob(layer.digest);
  const { translation } = await readDialect(path, { maxArray: 0 });
  if (translation?.projector === undefined) return [];
  const write = (target: string): Promise<void> => writeFile(target, translatedBytes(path, 'projector'));
  const { digest } = await store.makeBlob(write, mediaTypes.projector);
  hold(digest);
  return [await readPart(store, digest)];
}

async function quantize(
  { layer }: ModelPart,
  { quantization, quantizeFile, imatrix: matrix, store, signal }: QuantizeOptions,
  onProgress: (done: number, total: number) => void,
): Promise<Digest> {
  const blob = await store.locateBlob(layer.digest);
  const isTranslated = (await readDialect(blob, { maxArray: 0 })).translation?.weights !== undefined;
  const source = isTranslated ? derivedPath(blob, 'weights') : blob;
  if (isTranslated)
    await store.deriveFile(layer.digest, 'weights', (path) =>
      writeFile(path, translatedBytes(blob, 'weights', { signal })),
    );
  const fileType = fileTypeOf(quantization);
  const imatrix = matrix === undefined ? undefined : await store.locateBlob(matrix);
  const write = (target: string): Promise<void> =>
    quantizeFile({ source, target, fileType, imatrix, onProgress, signal });
  try {
    return (await store.makeBlob(write, layer.mediaType)).digest;
  } finally {
    // Only some machines load a translated file.
    if (isTranslated && canReadTranslated) await rm(source, { force: true });
  }
}
