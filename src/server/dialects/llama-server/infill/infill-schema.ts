// POST /infill on the wire.

import { Type } from 'typebox';
import { keepAliveField, optionFields, optionsField, quietField } from '../../shared/common-fields-schema.ts';
import type { Wire } from '../../shared/wire-schema.ts';
import { chosenModelField } from '../model-field-schema.ts';

const ExtraFile = Type.Object({
  filename: Type.Optional(Type.String({ description: 'Default: `tmp`.' })),
  text: Type.String(),
  time: quietField,
});

const duration = { minimum: 0, maximum: 1e9 };

export const InfillRequestBody = Type.Object({
  ...optionFields,
  model: chosenModelField,
  input_prefix: Type.Optional(Type.String({ description: 'The text before the gap.' })),
  input_suffix: Type.Optional(Type.String({ description: 'The text after the gap.' })),
  input_extra: Type.Optional(
    Type.Array(ExtraFile, {
      description: 'Parts of other files, the most important last. Those that do not fit are left out.',
    }),
  ),
  prompt: Type.Optional(Type.String({ description: 'The beginning of the line with the gap, after input_prefix.' })),
  stream: Type.Optional(Type.Boolean({ description: 'True: server-sent events instead of one object.' })),
  n_cmpl: Type.Optional(
    Type.Integer({
      description: 'The number of answers. With more than one, the response is an array.',
      zeroIsAbsent: true,
      documented: { minimum: 1, maximum: 16 },
    }),
  ),
  n_indent: Type.Optional(
    Type.Integer({
      description: 'A line after the first one with fewer spaces or tabs at its beginning ends the answer.',
      documented: duration,
    }),
  ),
  t_max_predict_ms: Type.Optional(
    Type.Number({
      description: 'After this time, the answer ends as soon as it has a line break. 0: no limit.',
      documented: duration,
    }),
  ),
  samplers: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'The samplers that choose tokens; those that are not listed are off. Their order is fixed. Default: all but `infill`.',
      documented: { items: { enum: ['top_k', 'top_p', 'min_p', 'temperature', 'infill'] } },
    }),
  ),
  response_fields: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'The fields of the response, such as `content` or `timings/prompt_n`, under these names. Without stream.',
    }),
  ),
  options: optionsField,
  keep_alive: keepAliveField,
  // The cache finds prompts by itself, and keeps those that are used again.
  cache_prompt: quietField,
  id_slot: quietField,
  t_max_prompt_ms: quietField,
  return_tokens: quietField,
  timings_per_token: quietField,
});
export type InfillRequestBody = Wire<typeof InfillRequestBody>;

const Timings = Type.Object({
  cache_n: Type.Integer({ description: 'Tokens of the prompt that were evaluated before.' }),
  prompt_n: Type.Integer({ description: 'The other tokens of the prompt.' }),
  prompt_ms: Type.Number(),
  prompt_per_token_ms: Type.Number(),
  prompt_per_second: Type.Number(),
  predicted_n: Type.Integer(),
  predicted_ms: Type.Number(),
  predicted_per_token_ms: Type.Number(),
  predicted_per_second: Type.Number(),
});
export type InfillTimings = Wire<typeof Timings>;

const partFields = {
  index: Type.Integer({ description: 'The number of the answer.' }),
  content: Type.String(),
  stop: Type.Boolean({ description: 'Whether this is the last object of an answer.' }),
  id_slot: Type.Integer(),
  tokens_predicted: Type.Integer(),
  tokens_evaluated: Type.Integer(),
};

/** All but the first four only in the last object of an answer. */
export const InfillPartBody = Type.Object({
  ...partFields,
  model: Type.Optional(Type.String()),
  has_new_line: Type.Optional(Type.Boolean()),
  truncated: Type.Optional(Type.Boolean({ description: 'Whether a part of the given texts is not in the prompt.' })),
  stop_type: Type.Optional(Type.Enum(['eos', 'word', 'limit'])),
  stopping_word: Type.Optional(Type.String()),
  tokens_cached: Type.Optional(
    Type.Integer({ description: 'Tokens of prompt and answer, which later requests can use.' }),
  ),
  generation_settings: Type.Optional(
    Type.Object({
      n_ctx: Type.Integer({ description: 'The length of the context in tokens.' }),
      n_predict: Type.Integer(),
    }),
  ),
  timings: Type.Optional(Timings),
});
export type InfillPartBody = Wire<typeof InfillPartBody>;

/** Without stream. The other forms have no table of their own in the documentation. */
export const InfillResponseBody = Type.Union([
  InfillPartBody,
  Type.Array(Type.Unknown(), { description: 'With n_cmpl: an object for each answer.' }),
  Type.Record(Type.String(), Type.Unknown(), { description: 'With response_fields.' }),
]);
