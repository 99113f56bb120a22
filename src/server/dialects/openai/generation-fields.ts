// What chat completions and completions have in common: options, the head of responses, token counts.

import { HearthError } from '../../../base/errors.ts';
import { hashOfSession } from '../../../base/request/session-hint.ts';
import type { AnswerDone } from '../../../inference/model/answer-event.ts';
import type { GenerationOptions } from '../../../inference/model/conversation.ts';
import { type OptionValues, optionTable, parseOptions } from '../../../models/options.ts';
import type { ModelInput } from '../../services/generation/prepare-model.ts';
import { type ReportedToken, toTokenBody } from '../shared/logprob-bodies.ts';
import { readBias, readOptionFields, toModelInput } from '../shared/model-input.ts';
import { invalid } from '../shared/read-fields.ts';
import type { CompletionHead, CompletionUsage, GenerationFields, OutputLogprob } from './generation-schema.ts';

interface CommonInput extends GenerationOptions, ModelInput {}

// OpenAI's defaults. Parameters of the model take precedence.
const optionDefaults: OptionValues = { temperature: 1, topP: 1 };

export function toCommonInput(
  body: GenerationFields,
  limit: number | undefined,
  names: { readonly emptyIsUnknown?: boolean } = {},
): CommonInput {
  const { model = '', keep_alive } = body;
  const options = readOptionFields(body);
  const stop = readStop(body.stop);
  if (stop !== undefined) options['stop'] = stop;
  if (limit !== undefined) options['num_predict'] = limit;
  return {
    ...toModelInput({ model, keep_alive, options }, names),
    optionDefaults,
    // Clients of this dialect do not expect that a part of the prompt is missing: they get an error, or an answer that
    // ends when the context is full.
    truncate: false,
    shift: false,
    logitBias: body.logit_bias && readBias(body.logit_bias),
    session: typeof body.prompt_cache_key === 'string' ? hashOfSession(body.prompt_cache_key) : undefined,
    tokenIds: body.return_token_ids,
    tokenCounts: body.stream_options?.continuous_usage_stats,
  };
}

function readStop(stop: unknown): readonly string[] | undefined {
  if (stop === undefined) return undefined;
  if (typeof stop === 'string') return [stop];
  if (Array.isArray(stop) && stop.every((text) => typeof text === 'string')) return stop;
  throw new HearthError('bad_request', "invalid type for 'stop' field: expected a string or an array of strings");
}

/** Whether the oldest messages of a conversation that is too long are left out. Undefined: the request does not say. */
export function readTruncation(truncation: string | undefined): boolean | undefined {
  if (truncation === undefined) return undefined;
  if (truncation === 'auto' || truncation === 'disabled') return truncation === 'auto';
  throw invalid('truncation', 'expected "auto" or "disabled"');
}

// Each choice takes a slot.
const maxChoicesPerPrompt = 16;

export function readCount({ n = 1 }: GenerationFields): number {
  if (n < 1 || n > maxChoicesPerPrompt)
    throw new HearthError('bad_request', `n must be between 1 and ${maxChoicesPerPrompt}`);
  return n;
}

const randomSeed = optionTable.seed.default;

/** The choices for one prompt must differ, so each has its own seed. The first uses the requested one. */
export function toChoice<Input extends Pick<CommonInput, 'options'>>(input: Input, index: number): Input {
  if (index === 0) return input;
  const choice = { ...input, sharesPrompt: true };
  const { values } = input.options;
  if (values.seed === undefined || values.seed === randomSeed) return choice;
  // Parsed again, because the sum may exceed the range of seeds.
  const { seed } = parseOptions({ seed: values.seed + index }).values;
  return { ...choice, options: { ...input.options, values: { ...values, ...(seed === undefined ? {} : { seed }) } } };
}

export function toHead<Kind extends string>(
  object: Kind,
  { id, model, now }: { readonly id: string; readonly model: string | undefined; readonly now: number },
): CompletionHead<Kind> {
  return { id, object, created: Math.floor(now / 1000), model: model ?? '', system_fingerprint: 'fp_hearth' };
}

/** The sum over all choices. A prompt counts once, even with several choices. */
export function toUsage(prompts: readonly (readonly AnswerDone[])[]): CompletionUsage {
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  const prompt_tokens = sum(prompts.map(([first]) => first?.promptTokens ?? 0));
  const completion_tokens = sum(prompts.flat().map(({ generatedTokens }) => generatedTokens));
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_tokens_details: { cached_tokens: sum(prompts.map(([first]) => first?.cachedTokens ?? 0)) },
    completion_tokens_details: {
      reasoning_tokens: sum(prompts.flat().map(({ thinkingTokens }) => thinkingTokens)),
      ...predictionCounts(prompts.flat()),
    },
  };
}

/** Empty without a prediction. */
function predictionCounts(answers: readonly AnswerDone[]): Partial<CompletionUsage['completion_tokens_details']> {
  if (answers.every(({ predictedTokens }) => predictedTokens === undefined)) return {};
  let [tried, accepted] = [0, 0];
  for (const { predictedTokens = 0, predictedAcceptedTokens = 0 } of answers) {
    tried += predictedTokens;
    accepted += predictedAcceptedTokens;
  }
  return { accepted_prediction_tokens: accepted, rejected_prediction_tokens: tried - accepted };
}

export function toOutputLogprob({ top, ...token }: ReportedToken): OutputLogprob {
  return { ...toTokenBody(token), top_logprobs: top.map(toTokenBody) };
}
