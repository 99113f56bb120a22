// Log probabilities in wire format; the OpenAI dialect uses them too.

import type { AnswerTokens } from '../../../inference/model/answer-event.ts';
import type { LogprobBody, TokenBody } from './logprobs-schema.ts';

export type ReportedToken = NonNullable<AnswerTokens['logprobs']>[number];

export function toLogprobBody({ top, ...token }: ReportedToken): LogprobBody {
  return { ...toTokenBody(token), ...(top.length > 0 ? { top_logprobs: top.map(toTokenBody) } : {}) };
}

export function toTokenBody({ bytes, logprob }: Omit<ReportedToken, 'top'>): TokenBody {
  return { token: Buffer.from(bytes).toString('utf8'), logprob, bytes };
}

/** Log probabilities arrive before the text that they belong to. The buffer keeps them until then. */
export function createLogprobBuffer<Body>(toBody: (token: ReportedToken) => Body): {
  put(event: AnswerTokens): void;
  take(): { readonly logprobs?: readonly Body[] };
} {
  let waiting: Body[] = [];
  return {
    put: ({ logprobs = [] }) => waiting.push(...logprobs.map(toBody)),
    take() {
      if (waiting.length === 0) return {};
      const logprobs = waiting;
      waiting = [];
      return { logprobs };
    },
  };
}
