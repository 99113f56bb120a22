// POST /api/generate on the wire.

import { type Static, Type } from 'typebox';
import { generationOptionFields, type LogprobBody } from './generation-options-schema.ts';
import type { AnswerStatistics } from './statistics-schema.ts';

export const GenerateRequest = Type.Object({
  model: Type.Optional(Type.String({ description: 'The name of the model. Required.' })),
  prompt: Type.Optional(Type.String({ description: 'Empty: the model is loaded, or unloaded with keep_alive 0.' })),
  suffix: Type.Optional(Type.String({ description: 'Text behind the gap that is to be filled.' })),
  images: Type.Optional(Type.Array(Type.String(), { description: 'PNG or JPEG files as base64.' })),
  format: Type.Optional(
    Type.Unknown({ description: '"json", a JSON schema, or {"type": "gbnf", "grammar": "root ::= …"}.' }),
  ),
  options: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Any of the options of models.' })),
  system: Type.Optional(Type.String()),
  template: Type.Optional(Type.String()),
  context: Type.Optional(Type.Array(Type.Integer(), { description: 'What an earlier answer sent as `context`.' })),
  stream: Type.Optional(Type.Boolean({ description: 'False: one object instead of a stream.' })),
  raw: Type.Optional(Type.Boolean({ description: 'The prompt goes to the model as it is, without its template.' })),
  keep_alive: Type.Optional(
    Type.Unknown({ description: 'A number of seconds or a duration such as "5m"; how long the model stays loaded.' }),
  ),
  ...generationOptionFields,
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
