// What generate and chat can be asked for beside words, on the wire.

import { type Static, Type } from 'typebox';

export const generationOptionFields = {
  think: Type.Optional(Type.Unknown({ description: 'Whether a model that can think does: a boolean or a level.' })),
  logprobs: Type.Optional(Type.Boolean()),
  top_logprobs: Type.Optional(Type.Integer()),
  shift: Type.Optional(Type.Boolean({ description: 'False: the answer ends when the context is full.' })),
  truncate: Type.Optional(
    Type.Boolean({ description: 'False: a prompt that is longer than the context is an error.' }),
  ),
};

const GenerationOptionFields = Type.Object(generationOptionFields);
export type GenerationOptionFields = Static<typeof GenerationOptionFields>;

export interface TokenBody {
  readonly token: string;
  readonly logprob: number;
  /** A token is not always a whole character. */
  readonly bytes: readonly number[];
}

export interface LogprobBody extends TokenBody {
  readonly top_logprobs?: readonly TokenBody[];
}
