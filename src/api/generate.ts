// POST /api/generate on the wire.

import { type Static, Type } from 'typebox';

export const GenerateRequest = Type.Object({
  model: Type.Optional(Type.String()),
  prompt: Type.Optional(Type.String()),
  suffix: Type.Optional(Type.String()),
  images: Type.Optional(Type.Array(Type.String())),
  format: Type.Optional(Type.String()),
  options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  system: Type.Optional(Type.String()),
  template: Type.Optional(Type.String()),
  context: Type.Optional(Type.Array(Type.Integer())),
  stream: Type.Optional(Type.Boolean()),
  raw: Type.Optional(Type.Boolean()),
  /** A number of seconds or a duration; read by parseKeepAlive, whose messages are better than a schema's. */
  keep_alive: Type.Optional(Type.Unknown()),
});
export type GenerateRequest = Static<typeof GenerateRequest>;

export interface GenerateResponse {
  readonly model: string;
  readonly created_at: string;
  readonly response: string;
  readonly done: boolean;
  readonly done_reason?: 'stop' | 'length' | 'load' | 'unload';
  readonly context?: readonly number[];
  readonly total_duration?: number;
  readonly load_duration?: number;
  readonly prompt_eval_count?: number;
  readonly prompt_eval_duration?: number;
  readonly eval_count?: number;
  readonly eval_duration?: number;
}
