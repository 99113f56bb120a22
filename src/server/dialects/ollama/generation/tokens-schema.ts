// POST /api/tokenize and POST /api/detokenize on the wire.

import { type Static, Type } from 'typebox';

const common = {
  model: Type.Optional(Type.String({ description: 'The name of the model. Required.' })),
  options: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Any of the options of models.' })),
  keep_alive: Type.Optional(
    Type.Unknown({ description: 'A number of seconds or a duration such as "5m"; how long the model stays loaded.' }),
  ),
};

export const TokenizeRequest = Type.Object({
  ...common,
  text: Type.Optional(Type.String()),
  add_special: Type.Optional(
    Type.Boolean({
      description:
        'Whether the tokens that the model wants around a text are among them; they are not unless asked for.',
    }),
  ),
});
export type TokenizeRequest = Static<typeof TokenizeRequest>;

export interface TokenizeResponse {
  readonly model: string;
  readonly tokens: readonly number[];
}

export const DetokenizeRequest = Type.Object({ ...common, tokens: Type.Optional(Type.Array(Type.Integer())) });
export type DetokenizeRequest = Static<typeof DetokenizeRequest>;

export interface DetokenizeResponse {
  readonly model: string;
  readonly text: string;
}
