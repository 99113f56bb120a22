// What a chunk of a streamed answer says besides its text, as in vLLM: the tokens, and the counts so far.

import type { AnswerEvent } from '../../../inference/model/answer-event.ts';
import type { CompletionUsage, GenerationFields } from './generation-schema.ts';

export interface PartProgress {
  /** Absent: the request did not ask for them. */
  readonly tokenIds: readonly number[] | undefined;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly generatedTokens: number;
}

/** Follows the events of one choice. */
export class AnswerProgress {
  #tokenIds: number[] | undefined;
  #promptTokens = 0;
  #cachedTokens = 0;
  #generatedTokens = 0;

  follow(event: AnswerEvent): void {
    if (event.type === 'started' || event.type === 'done') {
      this.#promptTokens = event.promptTokens;
      this.#cachedTokens = event.cachedTokens;
    }
    if (event.type === 'started' && event.promptIds !== undefined) this.#tokenIds = [];
    if (event.type !== 'tokens' && event.type !== 'done') return;
    this.#generatedTokens = event.generatedTokens;
    this.#tokenIds?.push(...(event.tokenIds ?? []));
  }

  /** For the next part: the tokens since the last one. */
  take(): PartProgress {
    return {
      tokenIds: this.#tokenIds?.splice(0),
      promptTokens: this.#promptTokens,
      cachedTokens: this.#cachedTokens,
      generatedTokens: this.#generatedTokens,
    };
  }
}

/** The `usage` of chunks: none, only in the last one, or in all. */
export type ChunkUsage = 'none' | 'last' | 'all';

export function readChunkUsage({ stream_options: options }: Pick<GenerationFields, 'stream_options'>): ChunkUsage {
  if (options?.continuous_usage_stats) return 'all';
  return options?.include_usage ? 'last' : 'none';
}

/** For a chunk that is not the last. Thinking is counted at the end. */
export function usageSoFar(usage: ChunkUsage, progress: PartProgress): { readonly usage?: CompletionUsage | null } {
  if (usage !== 'all') return usage === 'last' ? { usage: null } : {};
  const { promptTokens, cachedTokens, generatedTokens } = progress;
  return {
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: generatedTokens,
      total_tokens: promptTokens + generatedTokens,
      prompt_tokens_details: { cached_tokens: cachedTokens },
      completion_tokens_details: { reasoning_tokens: 0 },
    },
  };
}

export function tokenIdsIn({ tokenIds }: PartProgress): { readonly token_ids?: readonly number[] } {
  return tokenIds === undefined ? {} : { token_ids: tokenIds };
}
