// Converts a request to rerank documents. All of its forms are converted here.

import { HearthError } from '../../../base/errors.ts';
import { type RerankInput, type RerankMethod, rerankMethods } from '../../services/generation/rerank.ts';
import { type ModelFields, toModelInput } from './model-input.ts';
import { invalid } from './read-fields.ts';

interface RerankFields extends ModelFields {
  readonly query?: string;
  readonly documents?: unknown;
  readonly top_n?: number;
  readonly instruction?: string;
  readonly max_tokens_per_doc?: number;
  readonly max_tokens_per_query?: number;
  readonly method?: string;
  readonly raw_scores?: boolean;
  readonly truncate?: boolean;
}

export function toRerankInput(body: RerankFields): RerankInput {
  const { query, instruction, method = 'rank', raw_scores = false, truncate = true } = body;
  const topN = countOf(body.top_n, 'top_n');
  const maxDocumentTokens = countOf(body.max_tokens_per_doc, 'max_tokens_per_doc');
  const maxQueryTokens = countOf(body.max_tokens_per_query, 'max_tokens_per_query');
  if (query === undefined) throw new HearthError('bad_request', 'query is required');
  return {
    ...toModelInput(body),
    query,
    documents: readDocuments(body.documents),
    method: readMethod(method),
    rawScores: raw_scores,
    truncate,
    instruction,
    topN,
    maxDocumentTokens,
    maxQueryTokens,
  };
}

function readDocuments(documents: unknown): string[] {
  if (documents === undefined)
    throw new HearthError('bad_request', 'documents is required, with at least one document');
  if (!Array.isArray(documents)) throw invalid('documents', 'expected an array');
  return documents.map((document: unknown, index) => {
    if (typeof document === 'string') return document;
    const text = (document as { readonly text?: unknown } | null)?.text;
    if (typeof text === 'string') return text;
    throw invalid(`documents[${index}]`, 'expected a string, or an object with a text');
  });
}

function readMethod(method: string): RerankMethod {
  const found = rerankMethods.find((name) => name === method);
  if (found === undefined) throw invalid('method', `expected one of ${rerankMethods.join(', ')}`);
  return found;
}

function countOf(value: number | undefined, where: string): number | undefined {
  if (value !== undefined && value < 0) throw invalid(where, 'expected a number that is not negative');
  return value;
}
