// Weights in another number format, by llama.cpp's own quantiser.

import type { QuantiseFile } from '../../engine/quantise-file.ts';
import { createAsyncQueue } from '../../kernel/async-queue.ts';
import type { Digest } from '../../kernel/digest.ts';
import { HearthError, toHearthError } from '../../kernel/errors.ts';
import { fileTypeOf, isUnquantised, type Quantisation } from '../../model/quantisation.ts';
import type { Store } from '../../store/store.ts';
import { describeGguf } from '../describe-gguf.ts';
import { adoptScratch, type Part, readPart } from './find-parts.ts';
import type { CreateProgress } from './progress.ts';

export interface QuantiseOptions {
  readonly quantisation: Quantisation;
  readonly quantiseFile: QuantiseFile;
  readonly store: Store;
  readonly signal: AbortSignal;
  readonly hold: (digest: Digest) => void;
}

export async function* quantisePart(part: Part, options: QuantiseOptions): AsyncGenerator<CreateProgress, Part> {
  const { quantisation, store, hold } = options;
  const from = describeGguf(part.gguf).quantizationLevel;
  if (from === quantisation) return part;
  if (!isUnquantised(from))
    throw new HearthError('bad_request', 'quantization is only supported for F16, BF16 and F32 models');
  const status = `quantizing ${from} model to ${quantisation}`;
  yield { status };
  const progress = createAsyncQueue<CreateProgress>();
  const result = quantise(part, options, (completed, total) => {
    // The digest of the result is not known yet; progress bars want one all the same.
    progress.push({ status, digest: '0000000000000000000', total, completed });
  }).finally(() => progress.end());
  result.catch(() => {});
  yield* progress;
  const digest = await result;
  hold(digest);
  yield { status: `creating new layer ${digest}` };
  return readPart(store, digest);
}

async function quantise(
  { layer }: Part,
  { quantisation, quantiseFile, store, signal }: QuantiseOptions,
  onProgress: (done: number, total: number) => void,
): Promise<Digest> {
  try {
    return await store.withScratchFile(async (target) => {
      const source = await store.locateBlob(layer.digest);
      await quantiseFile({ source, target, fileType: fileTypeOf(quantisation), onProgress, signal });
      return adoptScratch(store, target);
    });
  } catch (error) {
    throw toHearthError(error);
  }
}
