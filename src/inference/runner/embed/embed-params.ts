// How a model turns a text into a vector, and the context that it needs. Pure, so that missing models can be tested.

import type { GgufMetadata } from '../../../formats/gguf/metadata.ts';
import type { RankHead } from '../../../formats/gguf/rank-head.ts';
import type { ContextParams } from '../llama/bindings/structs.ts';
import { type LoadPlan, toFlashAttention } from '../load/load-params.ts';

export const poolings = { none: 0, mean: 1, cls: 2, last: 3, rank: 4 } as const;

export interface EmbedMethod {
  /** `last`: the vector of the last token, which attends to all others. A text may be evaluated in parts, and only the
   * last row is computed. `pooled`: a text is evaluated in one pass, and llama.cpp pools the vectors of its tokens. */
  readonly kind: 'last' | 'pooled';
  /** llama.cpp's number for the pooling type. */
  readonly pooling: number;
}

/** Decided by the metadata of the model. Without an entry there, the last token is used, as for every text model. */
export function decideEmbedMethod(metadata: GgufMetadata): EmbedMethod {
  const own = entryOf(metadata, 'pooling_type');
  const causal = entryOf(metadata, 'attention.causal') !== false;
  switch (own) {
    case poolings.mean:
    case poolings.cls:
      return { kind: 'pooled', pooling: own };
    case poolings.rank:
      // A reranker has no embedding of its own. It ranks by the vector of this token.
      return causal ? { kind: 'last', pooling: poolings.none } : { kind: 'pooled', pooling: poolings.cls };
    default:
      return causal ? { kind: 'last', pooling: poolings.none } : { kind: 'pooled', pooling: poolings.last };
  }
}

/** How a reranker scores a pair. */
export function decideRankMethod({ ofDecoder }: RankHead): EmbedMethod {
  return { kind: ofDecoder ? 'last' : 'pooled', pooling: poolings.rank };
}

/** A model with a pooling type is an embedding model. A model without causal attention cannot generate. */
export function onlyEmbeds(metadata: GgufMetadata): boolean {
  return entryOf(metadata, 'pooling_type') !== undefined || entryOf(metadata, 'attention.causal') === false;
}

function entryOf(metadata: GgufMetadata, name: string): unknown {
  return metadata.get(`${metadata.get('general.architecture')}.${name}`);
}

export interface EmbedSize {
  /** Context length. */
  readonly tokens: number;
  /** Tokens per pass. */
  readonly batch: number;
  readonly sequences: number;
}

export interface EmbedNeeds {
  /** Tokens of a batch, or of one long text. */
  readonly tokens: number;
  readonly numBatch: number;
  /** Recurrent models keep a state for each sequence. */
  readonly recurrent: boolean;
}

const maxSequences = 64;
const maxStates = 4;
// llama.cpp rounds up to a multiple of this.
const granularity = 256;

/** Room for one batch, or for a longer text. */
export function decideEmbedSize(
  { kind }: EmbedMethod,
  { tokens: required, numBatch, recurrent }: EmbedNeeds,
): EmbedSize {
  const sequences = recurrent ? maxStates : maxSequences;
  const batch = Math.max(numBatch, sequences);
  let tokens = Math.ceil(batch / granularity) * granularity;
  while (tokens < required) tokens *= 2;
  return { tokens, batch: kind === 'last' ? batch : tokens, sequences };
}

export function toEmbedContextParams(
  defaults: ContextParams,
  options: {
    readonly plan: LoadPlan;
    readonly method: EmbedMethod;
    readonly size: EmbedSize;
    readonly threads: number;
  },
): ContextParams {
  const { plan, method, size, threads } = options;
  return {
    ...defaults,
    n_ctx: size.tokens,
    n_batch: size.batch,
    n_ubatch: size.batch,
    n_seq_max: size.sequences,
    n_outputs_max: method.kind === 'last' ? size.sequences : 0,
    n_threads: threads,
    n_threads_batch: threads,
    pooling_type: method.pooling,
    embeddings: method.kind === 'pooled',
    flash_attn_type: toFlashAttention(plan.flashAttention),
    offload_kqv: plan.settings.cacheOnGpu,
    // With streams, llama.cpp would split texts of different lengths and pool each part.
    kv_unified: true,
  };
}
