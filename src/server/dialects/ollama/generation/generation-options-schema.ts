// Request fields of generate and chat that control the generation.

import { Type } from 'typebox';
import { predictionField } from '../../shared/common-fields-schema.ts';
import { debugRenderField } from '../../shared/debug-schema.ts';
import type { Wire } from '../../shared/wire-schema.ts';

export const generationOptionFields = {
  think: Type.Optional(
    Type.Unknown({
      description:
        'Whether a thinking model thinks: a boolean, "low", "medium", "high", "max", or another level that `show` lists.',
      // Not a level: an error of its own.
      emptyValues: ['string', 'array', 'object'],
      documented: { enum: [true, false, 'low', 'medium', 'high', 'max'] },
    }),
  ),
  logprobs: Type.Optional(Type.Boolean({ description: 'Return the log probability of each token.' })),
  top_logprobs: Type.Optional(
    Type.Integer({
      description: 'Number of the most likely tokens to return at each position.',
      documented: { minimum: 0, maximum: 20 },
    }),
  ),
  shift: Type.Optional(Type.Boolean({ description: 'False: the response ends when the context is full.' })),
  truncate: Type.Optional(
    Type.Boolean({ description: 'False: a prompt that is longer than the context is an error.' }),
  ),
  prompt_progress: Type.Optional(
    Type.Boolean({
      description:
        'True: while a long prompt is evaluated, a stream has objects without text whose `prompt_progress` says how far it is. Not part of the Ollama API.',
    }),
  ),
  prediction: predictionField,
  _debug_render_only: debugRenderField,
  resumable: Type.Optional(
    Type.Boolean({
      description:
        'True: a stream goes on if the client disconnects, and `GET /api/requests/{id}/stream` reads it again. The id is the x-request-id of the response, whose headers are sent at once: errors are a part of the stream. Not part of the Ollama API.',
    }),
  ),
};

export const promptProgressField = Type.Optional(
  Type.Object(
    { evaluated: Type.Integer({ description: 'Tokens.' }), total: Type.Integer({ description: 'Tokens.' }) },
    { description: 'Only if the request asked for it, before the first text.' },
  ),
);

const GenerationOptionFields = Type.Object(generationOptionFields);
export type GenerationOptionFields = Wire<typeof GenerationOptionFields>;
