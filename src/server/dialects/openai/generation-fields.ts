// What chat completions and completions have in common: their options in the words of the native dialect, and the
// figures of their answers.

import { HearthError } from '../../../base/errors.ts';
import { parseKeepAlive } from '../../../models/keep-alive.ts';
import { type OptionValues, type ParsedOptions, parseOptions } from '../../../models/options.ts';
import { parseRequestedModel, type RequestedModel } from '../../../models/requested-model.ts';
import type { AnswerDone } from '../../services/generation/answer.ts';
import type { GenerationOptions } from '../../services/generation/generation-options.ts';
import type { CompletionHead, GenerationFields, Usage } from './generation-schema.ts';

export interface CommonInput extends GenerationOptions {
  readonly model: RequestedModel;
  readonly options: ParsedOptions;
  readonly keepAlive?: number;
}

// OpenAI's own. What a model says about itself counts more.
const optionDefaults: OptionValues = { temperature: 1, topP: 1 };

export function toCommonInput(body: GenerationFields, limit: number | undefined): CommonInput {
  const { seed, temperature, top_p, frequency_penalty, presence_penalty, num_ctx } = body;
  const given = {
    seed,
    temperature,
    top_p,
    frequency_penalty,
    presence_penalty,
    num_ctx,
    num_predict: limit,
    stop: readStop(body.stop),
  };
  return {
    model: parseRequestedModel(body.model ?? ''),
    options: parseOptions({
      ...body.options,
      ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    }),
    optionDefaults,
    ...(body.logit_bias === undefined ? {} : { logitBias: readBias(body.logit_bias) }),
    ...(body.keep_alive === undefined ? {} : { keepAlive: parseKeepAlive(body.keep_alive) }),
  };
}

function readStop(stop: unknown): readonly string[] | undefined {
  if (stop === undefined) return undefined;
  if (typeof stop === 'string') return [stop];
  if (Array.isArray(stop) && stop.every((text) => typeof text === 'string')) return stop;
  throw new HearthError('bad_request', "invalid type for 'stop' field: it is a text or a list of texts");
}

// Beyond this a token is certain, or impossible.
const strongestBias = 100;

function readBias(given: Readonly<Record<string, number>>): (readonly [number, number])[] {
  return Object.entries(given).map(([name, bias]) => {
    if (!/^\d{1,9}$/.test(name))
      throw new HearthError('bad_request', `logit_bias: "${name.slice(0, 50)}" is not a token`);
    if (Math.abs(bias) > strongestBias)
      throw new HearthError('bad_request', `logit_bias: ${bias} is not between -${strongestBias} and ${strongestBias}`);
    return [Number(name), bias] as const;
  });
}

// Each answer takes a place in the batch.
const maxAnswers = 16;

export function readCount({ n = 1 }: GenerationFields): number {
  if (n < 1 || n > maxAnswers) throw new HearthError('bad_request', `n must be between 1 and ${maxAnswers}`);
  return n;
}

/** Several answers to one prompt are not to be the same: each has a seed of its own, the first the one that was asked for. */
export function withSeedOf<Input extends Pick<CommonInput, 'options'>>(input: Input, index: number): Input {
  const { values } = input.options;
  if (values.seed === undefined || index === 0) return input;
  // Parsed again, because the sum may exceed the range of seeds.
  const { seed } = parseOptions({ seed: values.seed + index }).values;
  return { ...input, options: { ...input.options, values: { ...values, ...(seed === undefined ? {} : { seed }) } } };
}

export function toHead<Kind extends string>(
  object: Kind,
  { id, model, now }: { readonly id: string; readonly model: string | undefined; readonly now: number },
): CompletionHead<Kind> {
  return { id, object, created: Math.floor(now / 1000), model: model ?? '', system_fingerprint: 'fp_hearth' };
}

/** Of all answers together; the prompt of several answers counts once. */
export function toUsage(prompts: readonly (readonly AnswerDone[])[]): Usage {
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  const prompt_tokens = sum(prompts.map(([first]) => first?.promptTokens ?? 0));
  const completion_tokens = sum(prompts.flat().map(({ generatedTokens }) => generatedTokens));
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}
