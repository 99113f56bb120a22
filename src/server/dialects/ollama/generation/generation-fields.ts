// What requests of the native dialect want beside words, and the probabilities that all dialects report.

import { parseThink } from '../../../../models/think.ts';
import type { AnswerEvent } from '../../../services/generation/answer.ts';
import type { GenerationOptions } from '../../../services/generation/generation-options.ts';
import type { GenerationOptionFields, LogprobBody, TokenBody } from './generation-options-schema.ts';

export type ReportedToken = Extract<AnswerEvent, { type: 'logprobs' }>['tokens'][number];

export function toGenerationOptions({
  think,
  logprobs,
  top_logprobs,
  shift,
  truncate,
}: GenerationOptionFields): GenerationOptions {
  const wanted = logprobs === true || (top_logprobs ?? 0) !== 0;
  return {
    ...(think === undefined || think === '' ? {} : { think: parseThink(think) }),
    ...(wanted ? { topLogprobs: top_logprobs ?? 0 } : {}),
    ...(shift === undefined ? {} : { shift }),
    ...(truncate === undefined ? {} : { truncate }),
  };
}

export function toLogprobBody({ top, ...token }: ReportedToken): LogprobBody {
  return { ...toTokenBody(token), ...(top.length > 0 ? { top_logprobs: top.map(toTokenBody) } : {}) };
}

export function toTokenBody({ bytes, logprob }: Omit<ReportedToken, 'top'>): TokenBody {
  return { token: Buffer.from(bytes).toString('utf8'), logprob, bytes };
}

/** Probabilities come before the text that they belong to: they wait here for it. */
export function createLogprobBuffer<Body>(toBody: (token: ReportedToken) => Body): {
  put(tokens: readonly ReportedToken[]): void;
  take(): { readonly logprobs?: readonly Body[] };
} {
  let waiting: Body[] = [];
  return {
    put: (tokens) => waiting.push(...tokens.map(toBody)),
    take() {
      if (waiting.length === 0) return {};
      const logprobs = waiting;
      waiting = [];
      return { logprobs };
    },
  };
}
