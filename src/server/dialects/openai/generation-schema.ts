// Fields that chat completions and completions have in common.

import { Type } from 'typebox';
import {
  documentedJsonSchema,
  keepAliveField,
  logitBiasField,
  modelField,
  optionFields,
  optionsField,
  quietField,
} from '../shared/common-fields-schema.ts';
import { promptLogprobsField } from '../shared/logprobs-schema.ts';
import type { Wire } from '../shared/wire-schema.ts';

/** 0 means no limit, as in Ollama. */
export const tokenLimitField = Type.Optional(
  Type.Integer({ description: 'Maximum number of tokens to generate; 0: no limit.', zeroIsAbsent: true }),
);

export const truncationField = Type.Optional(
  Type.String({
    description:
      'auto: the oldest messages of a conversation that is too long are left out. Default: the setting, usually disabled.',
    documented: { enum: ['auto', 'disabled'] },
  }),
);

export const numCtxField = Type.Optional(
  Type.Integer({
    description: 'Context length in tokens. Not part of the OpenAI API.',
    zeroIsAbsent: true,
    documented: { minimum: 4 },
  }),
);

const labelFields = {
  user: quietField,
  metadata: quietField,
  store: quietField,
  service_tier: quietField,
  safety_identifier: quietField,
  prompt_cache_key: Type.Optional(
    Type.Unknown({
      description: 'A name of the conversation. Its evaluated prompts are kept before others of the same caller.',
      documented: { type: 'string' },
    }),
  ),
  prompt_cache_retention: quietField,
};

const grammarField = Type.Optional(
  Type.Unknown({ description: 'A grammar of the answer, as GBNF.', documented: { const: 'root ::= "yes" | "no"' } }),
);
const schemaField = Type.Optional(
  Type.Unknown({
    description: 'A JSON schema of the answer.',
    emptyValues: ['object'],
    documented: documentedJsonSchema,
  }),
);
const choiceField = Type.Optional(
  Type.Unknown({
    description: 'The answer is one of these texts.',
    emptyValues: ['array'],
    documented: { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1, maxItems: 16 },
  }),
);
const regexField = Type.Optional(
  Type.Unknown({
    description: 'A regular expression that matches the entire answer.',
    documented: { const: '[0-9]{3}' },
  }),
);

const structureField = (description: string) =>
  Type.Unknown({ description, emptyValues: ['array', 'object'], documented: {} });

/** The format of the answer; at most one of them. All but the first are names of vLLM and llama-server. */
export const formatFields = {
  response_format: Type.Optional(
    Type.Object({
      type: Type.String({
        description: 'text, json_object, json_schema, grammar, or structural_tag.',
        documented: { enum: ['text', 'json_object'] },
      }),
      grammar: Type.Optional(Type.String({ description: 'For the type grammar: GBNF.' })),
      format: Type.Optional(structureField('For the type structural_tag: the format, as in xgrammar.')),
      structures: Type.Optional(
        structureField('For the type structural_tag, in its older form: begin, schema and end of each tag.'),
      ),
      triggers: Type.Optional(structureField('For the older form: the texts that begin a tag.')),
      json_schema: Type.Optional(
        Type.Object({
          name: quietField,
          description: quietField,
          strict: quietField,
          schema: Type.Optional(
            Type.Unknown({
              description: 'For the type json_schema.',
              emptyValues: ['object'],
              documented: { type: 'object' },
            }),
          ),
        }),
      ),
    }),
  ),
  grammar: grammarField,
  json_schema: schemaField,
  guided_json: schemaField,
  guided_regex: regexField,
  guided_choice: choiceField,
  guided_grammar: grammarField,
  structured_outputs: Type.Optional(
    Type.Object({
      json: schemaField,
      regex: regexField,
      choice: choiceField,
      grammar: grammarField,
      structural_tag: Type.Optional(structureField('A structural tag of xgrammar: an object, or its JSON.')),
      json_object: Type.Optional(Type.Boolean({ description: 'True: the answer is a JSON object.' })),
    }),
  ),
};
const FormatFields = Type.Object(formatFields);
export type FormatFields = Wire<typeof FormatFields>;

export const generationFields = {
  ...formatFields,
  ...optionFields,
  ...labelFields,
  model: modelField,
  stream: Type.Optional(Type.Boolean({ description: 'True: server-sent events instead of one object.' })),
  stream_options: Type.Optional(
    Type.Object({
      include_usage: Type.Optional(Type.Boolean({ description: 'Send token counts in the last chunk.' })),
      continuous_usage_stats: Type.Optional(
        Type.Boolean({ description: 'Send the token counts so far in each chunk, as vLLM does.' }),
      ),
      include_obfuscation: quietField,
    }),
  ),
  return_token_ids: Type.Optional(
    Type.Boolean({ description: 'Return the numbers of the tokens of prompt and answer, as vLLM does.' }),
  ),
  prompt_logprobs: promptLogprobsField,
  temperature: Type.Optional(Type.Number()),
  top_p: Type.Optional(Type.Number()),
  seed: Type.Optional(Type.Integer()),
  stop: Type.Optional(
    Type.Unknown({
      description: 'A string or an array of strings.',
      documented: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, maxItems: 128 }] },
    }),
  ),
  max_tokens: tokenLimitField,
  frequency_penalty: Type.Optional(Type.Number()),
  presence_penalty: Type.Optional(Type.Number()),
  logit_bias: logitBiasField,
  n: Type.Optional(
    Type.Integer({
      description: 'Number of choices to generate.',
      zeroIsAbsent: true,
      documented: { minimum: 1, maximum: 16 },
    }),
  ),
  /** The next three are not part of the OpenAI API. */
  options: optionsField,
  num_ctx: numCtxField,
  keep_alive: keepAliveField,
};

const GenerationFields = Type.Object(generationFields);
export type GenerationFields = Wire<typeof GenerationFields>;

export const CompletionUsage = Type.Object({
  prompt_tokens: Type.Integer(),
  completion_tokens: Type.Integer(),
  total_tokens: Type.Integer(),
  prompt_tokens_details: Type.Object({
    cached_tokens: Type.Integer({ description: 'The part of `prompt_tokens` that was evaluated by earlier requests.' }),
  }),
  completion_tokens_details: Type.Object({
    reasoning_tokens: Type.Integer({ description: 'The part of `completion_tokens` that is thinking.' }),
    accepted_prediction_tokens: Type.Optional(
      Type.Integer({ description: 'Tokens of the prediction that the answer has. Only with a prediction.' }),
    ),
    rejected_prediction_tokens: Type.Optional(
      Type.Integer({
        description: 'Tokens of the prediction that were tried in vain; not part of `completion_tokens`.',
      }),
    ),
  }),
});
export type CompletionUsage = Wire<typeof CompletionUsage>;

/** The numbers of tokens, with return_token_ids. */
export const tokenIdsField = Type.Optional(Type.Array(Type.Integer()));

const headFields = {
  id: Type.String(),
  created: Type.Integer({ description: 'Seconds since the epoch.' }),
  model: Type.String(),
  system_fingerprint: Type.String(),
};

/** Fields of every complete response and every chunk. */
export const completionHeadFields = <Kind extends string>(kind: Kind) => ({
  ...headFields,
  object: Type.Literal(kind),
});

const CompletionHead = Type.Object(headFields);
export type CompletionHead<Kind extends string> = Wire<typeof CompletionHead> & { readonly object: Kind };

const tokenFields = { token: Type.String(), logprob: Type.Number(), bytes: Type.Array(Type.Integer()) };
export const OutputLogprob = Type.Object({ ...tokenFields, top_logprobs: Type.Array(Type.Object(tokenFields)) });
export type OutputLogprob = Wire<typeof OutputLogprob>;
