// How a model makes a vector of a text, and what context that takes: pure, so that models that are not here can be
// tested too.

import type { GgufMetadata } from '../../../formats/gguf/metadata.ts';
import type { ContextParams } from '../llama/bindings/structs.ts';
import { type LoadPlan, toFlashAttention } from '../load-params.ts';

export const poolings = { none: 0, mean: 1, cls: 2, last: 3, rank: 4 } as const;

export interface EmbedWay {
  /** `last`: the vector is that of the last token, which has seen all others; a text may go through the model in parts,
   * and only that one row is computed to its end. `whole`: a text goes through in one piece, and the engine pools it. */
  readonly kind: 'last' | 'whole';
  /** The engine's number for it. */
  readonly pooling: number;
}

/** From the model's file. Without a word about it there, the last token counts, as for every model that writes. */
export function decideEmbedWay(metadata: GgufMetadata): EmbedWay {
  const own = entryOf(metadata, 'pooling_type');
  const causal = entryOf(metadata, 'attention.causal') !== false;
  switch (own) {
    case poolings.mean:
    case poolings.cls:
      return { kind: 'whole', pooling: own };
    case poolings.rank:
      // A model that ranks gives no vector by itself; what it ranks by is the vector of this token.
      return causal ? { kind: 'last', pooling: poolings.none } : { kind: 'whole', pooling: poolings.cls };
    default:
      return causal ? { kind: 'last', pooling: poolings.none } : { kind: 'whole', pooling: poolings.last };
  }
}

/** A model whose file says how to pool was made for embeddings; one whose tokens see what comes after them cannot
 * write. */
export function onlyEmbeds(metadata: GgufMetadata): boolean {
  return entryOf(metadata, 'pooling_type') !== undefined || entryOf(metadata, 'attention.causal') === false;
}

function entryOf(metadata: GgufMetadata, name: string): unknown {
  return metadata.get(`${metadata.get('general.architecture')}.${name}`);
}

export interface EmbedSize {
  /** In the context at once. */
  readonly tokens: number;
  /** In one go. */
  readonly batch: number;
  readonly sequences: number;
}

export interface EmbedNeeds {
  /** Of one pass: of a batch, or of one long text. */
  readonly tokens: number;
  readonly numBatch: number;
  /** Models with a state keep one for each sequence, however short. */
  readonly recurrent: boolean;
}

const maxSequences = 64;
const maxStates = 4;
// The engine rounds up to this.
const granularity = 256;

/** Room for one batch, or for more where a text is longer. */
export function decideEmbedSize({ kind }: EmbedWay, { tokens: wanted, numBatch, recurrent }: EmbedNeeds): EmbedSize {
  const sequences = recurrent ? maxStates : maxSequences;
  const batch = Math.max(numBatch, sequences);
  let tokens = Math.ceil(batch / granularity) * granularity;
  while (tokens < wanted) tokens *= 2;
  return { tokens, batch: kind === 'last' ? batch : tokens, sequences };
}

export interface EmbedContextOptions {
  readonly plan: LoadPlan;
  readonly way: EmbedWay;
  readonly size: EmbedSize;
  readonly threads: number;
}

export function toEmbedContextParams(defaults: ContextParams, options: EmbedContextOptions): ContextParams {
  const { plan, way, size, threads } = options;
  return {
    ...defaults,
    n_ctx: size.tokens,
    n_batch: size.batch,
    n_ubatch: size.batch,
    n_seq_max: size.sequences,
    n_outputs_max: way.kind === 'last' ? size.sequences : 0,
    n_threads: threads,
    n_threads_batch: threads,
    pooling_type: way.pooling,
    embeddings: way.kind === 'whole',
    flash_attn_type: toFlashAttention(plan.flashAttention),
    offload_kqv: plan.settings.cacheOnGpu,
    // In streams, the engine would cut texts of different lengths into pieces and pool each.
    kv_unified: true,
  };
}
