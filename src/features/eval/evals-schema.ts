// GET and POST /api/evals on the wire: results of `hearth eval`.

import { Type } from 'typebox';
import { ComparisonResponseBody } from '../../server/dialects/hearth/generation/compare-schema.ts';
import { timestampField } from '../../server/dialects/shared/common-fields-schema.ts';
import type { Wire } from '../../server/dialects/shared/wire-schema.ts';

const modelField = Type.String({ minLength: 1, maxLength: 300 });
const countField = (description: string) => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });

const Category = Type.Object({
  category: Type.String({ minLength: 1, maxLength: 100 }),
  items: Type.Integer({ minimum: 1, maximum: 10_000, description: 'Questions.' }),
  correct: Type.Integer({ minimum: 0, maximum: 10_000 }),
  duration: countField('Nanoseconds of the requests, without loading.'),
  tokens: countField('Tokens that were evaluated or generated.'),
});

const { status: _, chunks: __, ...figures } = ComparisonResponseBody.properties;
const Comparison = Type.Object(
  { ...figures, model: modelField, against: modelField },
  { description: 'As in the response of /api/compare.' },
);

const resultFields = {
  model: modelField,
  digest: Type.Optional(Type.String({ maxLength: 100, description: 'Of the model.' })),
};

export const StoreEvalRequestBody = Type.Object({
  results: Type.Array(
    Type.Object({ ...resultFields, categories: Type.Array(Category, { minItems: 1, maxItems: 64 }) }),
    { maxItems: 2, description: 'Of one model, or of two that were asked the same questions.' },
  ),
  comparison: Type.Optional(Comparison),
});
export type StoreEvalRequestBody = Wire<typeof StoreEvalRequestBody>;

export const StoredEvalResponseBody = Type.Object({
  kept: Type.Integer({ description: 'The number of results that the server has now.' }),
});
export type StoredEvalResponseBody = Wire<typeof StoredEvalResponseBody>;

const judged = {
  accuracy: Type.Number({ description: 'The share of right answers.' }),
  interval: Type.Array(Type.Number(), {
    description: 'From and to: 95 % of such intervals contain the true accuracy.',
  }),
  tokens_per_second: Type.Number(),
};
const JudgedCategory = Type.Object({ ...Category.properties, ...judged });
export type JudgedCategory = Wire<typeof JudgedCategory>;

const EvalResultBody = Type.Object({
  ...resultFields,
  created_at: timestampField,
  categories: Type.Array(JudgedCategory),
  all: JudgedCategory,
});

const StoredComparison = Type.Object({ ...Comparison.properties, created_at: timestampField });

export const EvalsResponseBody = Type.Object({
  results: Type.Array(EvalResultBody, { description: 'The last one first. 100 are kept.' }),
  comparisons: Type.Array(StoredComparison, { description: 'The last one first. 100 are kept.' }),
});
export type EvalsResponseBody = Wire<typeof EvalsResponseBody>;
