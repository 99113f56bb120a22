// POST /api/tokenize and POST /api/detokenize on the wire.

import { type Static, Type } from 'typebox';

const common = {
  model: Type.Optional(Type.String()),
  options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  /** A number of seconds or a duration; read by parseKeepAlive, whose messages are better than a schema's. */
  keep_alive: Type.Optional(Type.Unknown()),
};

export const TokenizeRequest = Type.Object({
  ...common,
  text: Type.Optional(Type.String()),
  /** Whether the tokens that the model wants around a text are among them; they are not unless asked for. */
  add_special: Type.Optional(Type.Boolean()),
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
