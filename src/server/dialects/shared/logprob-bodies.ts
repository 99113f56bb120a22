// Log probabilities in wire format; the OpenAI dialect uses them too.

import type { AnswerEvent } from '../../services/generation/answer.ts';
import type { LogprobBody, TokenBody } from './logprobs-schema.ts';

export type ReportedToken = Extract<AnswerEvent, { type: 'logprobs' }>['tokens'][number];

export function toLogprobBody({ top, ...token }: ReportedToken): LogprobBody {
  return { ...toTokenBody(token), ...(top.length > 0 ? { top_logprobs: top.map(toTokenBody) } : {}) };
}

export function toTokenBody({ bytes, logprob }: Omit<ReportedToken, 'top'>): TokenBody {
  return { token: Buffer.from(bytes).toString('utf8'), logprob, bytes };
}

/** Log probabilities arrive before the text that they belong to. The buffer keeps them until then. */
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
