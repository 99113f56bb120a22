// The statistics in the last object of a response of generate and chat.

import { Type } from 'typebox';
import { violationsField } from '../../shared/common-fields-schema.ts';
import type { Wire } from '../../shared/wire-schema.ts';

const duration = Type.Optional(Type.Integer({ description: 'Nanoseconds.' }));
const count = Type.Optional(Type.Integer({ description: 'Tokens.' }));

export const statisticsFields = {
  done_reason: Type.Optional(Type.Enum(['stop', 'length', 'load', 'unload'])),
  total_duration: duration,
  load_duration: duration,
  prompt_eval_count: count,
  prompt_eval_cached_count: Type.Optional(
    Type.Integer({
      description:
        'The part of `prompt_eval_count` that was evaluated by earlier requests. Not part of the Ollama API.',
    }),
  ),
  prompt_eval_duration: duration,
  eval_count: count,
  eval_duration: duration,
  schema_violations: violationsField,
  dropped_messages: Type.Optional(
    Type.Integer({
      description:
        'The oldest messages, which did not fit into the context and were left out. Not part of the Ollama API.',
    }),
  ),
  dropped_tokens: Type.Optional(
    Type.Integer({
      description:
        'Tokens of the prompt that did not fit into the context and were left out. Not part of the Ollama API.',
    }),
  ),
};

const AnswerStatistics = Type.Object(statisticsFields);
export type AnswerStatistics = Wire<typeof AnswerStatistics>;
