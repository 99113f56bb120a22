// What generate and chat report about a response besides its text.

import type { AnswerDone, AnswerStarted } from '../../../../inference/model/answer-event.ts';
import type { RenderedPrompt } from '../../../../inference/model/model.ts';
import type { AnswerStatistics, DebugInfoBody } from './statistics-schema.ts';

interface RemoteFields {
  readonly remote_model?: string;
  readonly remote_host?: string;
}

/** Empty for a model on this machine. */
export function toRemoteFields({ remote }: Partial<AnswerStarted> = {}): RemoteFields {
  return remote === undefined ? {} : { remote_model: remote.model, remote_host: remote.remote };
}

export function toDebugInfo({ prompt, images }: RenderedPrompt): DebugInfoBody {
  return { rendered_template: prompt, ...(images > 0 ? { image_count: images } : {}) };
}

export function toStatistics(
  done: AnswerDone,
  { droppedTokens = 0, droppedMessages = 0 }: Partial<AnswerStarted> = {},
): AnswerStatistics {
  return {
    done_reason: done.reason,
    total_duration: done.totalNanoseconds,
    load_duration: done.loadNanoseconds,
    prompt_eval_count: done.promptTokens,
    prompt_eval_cached_count: done.cachedTokens,
    prompt_eval_duration: done.promptNanoseconds,
    eval_count: done.generatedTokens,
    eval_duration: done.generateNanoseconds,
    ...(droppedMessages > 0 ? { dropped_messages: droppedMessages } : {}),
    ...(droppedTokens > 0 ? { dropped_tokens: droppedTokens } : {}),
  };
}
