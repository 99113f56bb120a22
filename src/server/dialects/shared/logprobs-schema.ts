// Log probabilities in responses.

import { Type } from 'typebox';
import type { Wire } from './wire-schema.ts';

const tokenFields = {
  token: Type.String(),
  logprob: Type.Number(),
  bytes: Type.Array(Type.Integer(), { description: 'UTF-8. A token may hold part of a character.' }),
};

export const TokenBody = Type.Object(tokenFields);
export type TokenBody = Wire<typeof TokenBody>;

export const LogprobBody = Type.Object({ ...tokenFields, top_logprobs: Type.Optional(Type.Array(TokenBody)) });
export type LogprobBody = Wire<typeof LogprobBody>;

/** A token of a prompt. */
export const PromptLogprobBody = Type.Object({
  ...tokenFields,
  logprob: Type.Union([Type.Number(), Type.Null()], { description: 'Null for the first token.' }),
  top_logprobs: Type.Optional(Type.Array(TokenBody)),
});
export type PromptLogprobBody = Wire<typeof PromptLogprobBody>;

/** A token of a prompt with the likeliest ones, by token id, as in vLLM. */
const VllmPromptLogprob = Type.Record(
  Type.String(),
  Type.Object({
    logprob: Type.Number(),
    rank: Type.Integer({ description: 'The place among all tokens; 1: the likeliest.' }),
    decoded_token: Type.String(),
  }),
);
export type VllmPromptLogprob = Wire<typeof VllmPromptLogprob>;

export const promptLogprobsResponseField = Type.Optional(
  Type.Array(Type.Union([VllmPromptLogprob, Type.Null()]), {
    description: 'With prompt_logprobs: one entry for each token of the prompt, null for the first.',
  }),
);

/** The request field. */
export const promptLogprobsField = Type.Optional(
  Type.Integer({
    description:
      'Return the log probability of each token of the prompt, with so many of the likeliest tokens. Not in streams of the OpenAI API.',
    documented: { minimum: 0, maximum: 20 },
  }),
);
