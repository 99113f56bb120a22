// Fields that all requests to rerank documents have.

import { Type } from 'typebox';
import { keepAliveField, modelField, optionsField } from './common-fields-schema.ts';

const documentedTokens = { minimum: 0, maximum: 2 ** 31 - 1 };
const tokensField = (what: string) =>
  Type.Optional(
    Type.Integer({
      description: `Tokens of ${what} that a reranker reads. The rest is left out.`,
      zeroIsAbsent: true,
      documented: documentedTokens,
    }),
  );

export const rerankFields = {
  model: modelField,
  query: Type.Optional(Type.String({ description: 'Required.', documented: { minLength: 1 } })),
  documents: Type.Optional(
    Type.Unknown({
      description: 'Texts, or objects with a `text`.',
      documented: {
        type: 'array',
        items: {
          anyOf: [{ type: 'string' }, { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }],
        },
        minItems: 1,
        maxItems: 4096,
      },
    }),
  ),
  top_n: Type.Optional(
    Type.Integer({
      description: 'How many results to return. Default: all.',
      zeroIsAbsent: true,
      documented: { minimum: 0 },
    }),
  ),
  instruction: Type.Optional(
    Type.String({ description: 'What to judge by. Ignored by models whose prompt has no place for it.' }),
  ),
  max_tokens_per_doc: tokensField('a document'),
  max_tokens_per_query: tokensField('the query'),
  /** The next five are not part of other APIs, except raw_scores and truncate, which TEI has. */
  method: Type.Optional(
    Type.String({
      description:
        '"rank": the scores of a reranker. "cosine": the similarity of embeddings, from -1 to 1, for other models. Default: "rank".',
      documented: { enum: ['rank', 'cosine'] },
    }),
  ),
  raw_scores: Type.Optional(
    Type.Boolean({ description: 'True: the scores as the model computes them. Default: false, values from 0 to 1.' }),
  ),
  truncate: Type.Optional(
    Type.Boolean({ description: 'False: texts that do not fit into the context are an error. Default: true.' }),
  ),
  options: optionsField,
  keep_alive: keepAliveField,
};
