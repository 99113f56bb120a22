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
