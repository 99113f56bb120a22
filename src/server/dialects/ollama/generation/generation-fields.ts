// The generation options of a request.

import type { GenerationOptions } from '../../../../inference/model/conversation.ts';
import { parseThink } from '../../../../models/think.ts';
import type { GenerationOptionFields } from './generation-options-schema.ts';

export function toGenerationOptions({
  think,
  logprobs,
  top_logprobs,
  shift,
  truncate,
}: GenerationOptionFields): GenerationOptions {
  return {
    think: think === undefined ? undefined : parseThink(think),
    topLogprobs: logprobs === true || (top_logprobs ?? 0) !== 0 ? (top_logprobs ?? 0) : undefined,
    shift,
    truncate,
  };
}
