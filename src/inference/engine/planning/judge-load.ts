// Whether a model would fit, before its file is here. The estimate is the one that a load uses; the properties that only
// the file has are guessed from its size.

import type { LoadFit } from '../../model/load-fit.ts';
import type { ModelShape } from '../ports.ts';
import type { LoadEstimate } from './estimate-load.ts';
import { guessedTokensPerWeights, guessedTrainedLength } from './estimate-memory.ts';

export interface UnseenFile {
  readonly bytes: number;
  /** Absent: unknown. */
  readonly layers?: number;
  /** Tokens; absent: unknown. */
  readonly contextLength?: number;
  readonly embedsOnly: boolean;
}

interface LoadConditions {
  /** Bytes of main memory for models. */
  readonly memoryBudget: number;
}

// Usual for models of a few billion parameters.
const guessedLayers = 32;
const guessedHeads = 32;
const guessedHeadLength = 128;
const guessedVocabulary = 2 ** 17;
const guessedWidth = 2 ** 14;
/** What precedes the layers, and what follows them. */
const guessedEndShare = 0.05;
const bytesPerCachedValue = 2;
// A processor reads all weights for every token: beyond this size, it writes slower than people read.
const comfortableBytes = 6e9;

export function guessShape({ bytes, layers = guessedLayers, contextLength, embedsOnly }: UnseenFile): ModelShape {
  const cachedValues = bytes / guessedTokensPerWeights / bytesPerCachedValue;
  const layer = { bytes: (bytes * (1 - 2 * guessedEndShare)) / layers, cacheShare: 1 / layers };
  return {
    keysPerToken: cachedValues / 2,
    valuesPerToken: cachedValues / 2,
    keyLength: guessedHeadLength,
    valueLength: guessedHeadLength,
    heads: guessedHeads,
    trainedContext: contextLength ?? guessedTrainedLength,
    embedsOnly,
    weights: {
      layers: new Array<typeof layer>(layers).fill(layer),
      output: bytes * guessedEndShare,
      input: bytes * guessedEndShare,
      vocabulary: guessedVocabulary,
      width: guessedWidth,
    },
  };
}

export function judgeLoad(
  file: Pick<UnseenFile, 'bytes' | 'layers'>,
  estimate: LoadEstimate,
  { memoryBudget }: LoadConditions,
): LoadFit {
  const { bytes, placement } = estimate;
  if (bytes > memoryBudget) return { verdict: 'no' };
  const { count: onGpus = 0, total = 0, expertLayers = 0 } = placement ?? {};
  if (onGpus > 0 && onGpus === total && expertLayers > 0)
    return { verdict: 'layers', layers: { onGpus, total }, expertLayers };
  if (onGpus > 0 && onGpus === total) return { verdict: 'gpu' };
  // Layers on a GPU help little while most of them are not there.
  if (onGpus > total / 2)
    return { verdict: 'layers', layers: file.layers === undefined ? undefined : { onGpus, total } };
  return { verdict: file.bytes > comfortableBytes ? 'slow' : 'memory' };
}
