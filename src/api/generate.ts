// POST /api/generate on the wire.

import { type Static, Type } from 'typebox';
import type { AnswerStatistics } from './statistics.ts';
import { type LogprobBody, wishFields } from './wishes.ts';

export const GenerateRequest = Type.Object({
  model: Type.Optional(Type.String()),
  prompt: Type.Optional(Type.String()),
  suffix: Type.Optional(Type.String()),
  images: Type.Optional(Type.Array(Type.String())),
  /** "json" or a JSON schema. */
  format: Type.Optional(Type.Unknown()),
  options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  system: Type.Optional(Type.String()),
  template: Type.Optional(Type.String()),
  context: Type.Optional(Type.Array(Type.Integer())),
  stream: Type.Optional(Type.Boolean()),
  raw: Type.Optional(Type.Boolean()),
  /** A number of seconds or a duration; read by parseKeepAlive, whose messages are better than a schema's. */
  keep_alive: Type.Optional(Type.Unknown()),
  ...wishFields,
});
export type GenerateRequest = Static<typeof GenerateRequest>;

export interface GenerateResponse extends AnswerStatistics {
  readonly model: string;
  readonly created_at: string;
  readonly response: string;
  readonly thinking?: string;
  readonly logprobs?: readonly LogprobBody[];
  readonly done: boolean;
  readonly context?: readonly number[];
}
