// POST /api/compare on the wire.

import { Type } from 'typebox';
import {
  documentedName,
  keepAliveField,
  modelField,
  optionsField,
  streamField,
} from '../../shared/common-fields-schema.ts';
import type { Wire } from '../../shared/wire-schema.ts';

export const CompareRequestBody = Type.Object(
  {
    model: modelField,
    against: Type.Optional(
      Type.String({
        description: 'The model that it is compared with, such as the one that it was quantized from. Required.',
        documented: documentedName,
      }),
    ),
    text: Type.Optional(Type.String({ description: 'At least 1024 tokens. Absent: the text that ships with Hearth.' })),
    options: optionsField,
    keep_alive: keepAliveField,
    stream: streamField,
  },
  { documented: { required: ['model', 'against'] } },
);
export type CompareRequestBody = Wire<typeof CompareRequestBody>;

const error = (name: string) => Type.Number({ description: `The standard error of \`${name}\`.` });

export const ComparisonResponseBody = Type.Object({
  status: Type.Literal('success'),
  model: Type.String(),
  against: Type.String(),
  chunks: Type.Integer({ description: 'Parts of 512 tokens, the second halves of which count.' }),
  tokens: Type.Integer({ description: 'Tokens that count.' }),
  perplexity: Type.Number({ description: 'That of `model`.' }),
  perplexity_error: error('perplexity'),
  against_perplexity: Type.Number(),
  against_perplexity_error: error('against_perplexity'),
  kl_divergence: Type.Number({
    description: 'The mean Kullback-Leibler divergence of `model` from `against`, over the whole vocabulary, in nats.',
  }),
  kl_divergence_error: error('kl_divergence'),
  same_top: Type.Number({ description: 'The share of tokens for which both models have the same likeliest token.' }),
  same_top_error: error('same_top'),
});
export type ComparisonResponseBody = Wire<typeof ComparisonResponseBody>;

export const CompareResponseBody = Type.Union([
  Type.Object({
    status: Type.Literal('comparing'),
    completed: Type.Integer({ description: 'Evaluated chunks, of both models.' }),
    total: Type.Integer(),
  }),
  ComparisonResponseBody,
]);
export type CompareResponseBody = Wire<typeof CompareResponseBody>;
