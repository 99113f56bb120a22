// The generation options of a request.

import type { AnswerDone, AnswerEvent, AnswerStarted } from '../../../../inference/model/answer-event.ts';
import type { GenerationOptions } from '../../../../inference/model/conversation.ts';
import { parseThink } from '../../../../models/think.ts';
import { readPrediction } from '../../shared/model-input.ts';
import type { GenerationOptionFields } from './generation-options-schema.ts';
import type { AnswerStatistics } from './statistics-schema.ts';

export function toGenerationOptions({
  think,
  logprobs,
  top_logprobs,
  shift,
  truncate,
  prompt_progress,
  prediction,
}: GenerationOptionFields): GenerationOptions {
  return {
    think: think === undefined ? undefined : parseThink(think),
    topLogprobs: logprobs === true || (top_logprobs ?? 0) !== 0 ? (top_logprobs ?? 0) : undefined,
    shift,
    truncate,
    promptProgress: prompt_progress,
    prediction: readPrediction(prediction),
  };
}

// What generate and chat report about a response besides its text.

type PromptProgress = Extract<AnswerEvent, { type: 'progress' }>;

export function toProgressBody({ evaluated, total }: PromptProgress): Omit<PromptProgress, 'type'> {
  return { evaluated, total };
}

interface RemoteFields {
  readonly remote_model?: string;
  readonly remote_host?: string;
}

/** Empty for a model on this machine. */
export function toRemoteFields({ remote }: Partial<AnswerStarted> = {}): RemoteFields {
  return remote === undefined ? {} : { remote_model: remote.model, remote_host: remote.remote };
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
    schema_violations: done.violations,
    ...(droppedMessages > 0 ? { dropped_messages: droppedMessages } : {}),
    ...(droppedTokens > 0 ? { dropped_tokens: droppedTokens } : {}),
  };
}
