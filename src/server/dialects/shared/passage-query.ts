// Filters and ranking options of searches, as OpenAI's API has them.

import type { AttributeFilter, Attributes, PassageQuery } from '../../services/documents/passage-search.ts';
import { invalid, objectOf, stringOf } from './read-fields.ts';

const limits = { comparisons: 64, depth: 4, listed: 100, attributes: 16, name: 64, text: 512 };
const comparisons = new Set(['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'nin']);

/** Absent and null: no filter. */
export function readAttributeFilter(value: unknown, where: string): AttributeFilter | undefined {
  if (value === undefined || value === null) return undefined;
  let left = limits.comparisons;
  const read = (given: unknown, place: string, depth: number): AttributeFilter => {
    const fields = objectOf(given, place);
    const type = stringOf(fields['type'], `${place}.type`);
    if (--left < 0) throw invalid(where, `at most ${limits.comparisons} comparisons are possible`);
    if (type === 'and' || type === 'or') {
      const { filters } = fields;
      if (!Array.isArray(filters)) throw invalid(`${place}.filters`, 'expected an array of filters');
      if (depth >= limits.depth) throw invalid(place, `filters are nested more than ${limits.depth} times`);
      return { type, filters: filters.map((each, index) => read(each, `${place}.filters.${index}`, depth + 1)) };
    }
    if (!comparisons.has(type)) throw invalid(`${place}.type`, `expected and, or, ${[...comparisons].join(', ')}`);
    return {
      type: type as 'eq',
      key: stringOf(fields['key'], `${place}.key`),
      value: readOperand(fields['value'], { isList: type === 'in' || type === 'nin', where: `${place}.value` }),
    };
  };
  return read(value, where, 0);
}

function readOperand(value: unknown, { isList, where }: { readonly isList: boolean; readonly where: string }) {
  if (!isList) {
    if (isScalar(value)) return value;
    throw invalid(where, 'expected a string, a number or a boolean');
  }
  if (Array.isArray(value) && value.length <= limits.listed && value.every(isScalar)) return value;
  throw invalid(where, `expected an array of at most ${limits.listed} values`);
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** `ranker` "none": no reranker. */
export function readRankingOptions(
  value: unknown,
  where: string,
): Pick<PassageQuery, 'minScore' | 'weights' | 'isReranked'> {
  if (value === undefined || value === null) return {};
  const { ranker, score_threshold: minScore = 0, hybrid_search: hybrid } = objectOf(value, where);
  if (typeof minScore !== 'number' || minScore < 0 || minScore > 1)
    throw invalid(`${where}.score_threshold`, 'expected a number from 0 to 1');
  return { minScore, isReranked: ranker !== 'none', weights: readWeights(hybrid, `${where}.hybrid_search`) };
}

function readWeights(value: unknown, where: string): PassageQuery['weights'] {
  if (value === undefined || value === null) return undefined;
  const { embedding_weight: vectors = 1, text_weight: words = 1 } = objectOf(value, where);
  const isWeight = (weight: unknown): weight is number => typeof weight === 'number' && weight >= 0 && weight <= 1000;
  if (!isWeight(vectors) || !isWeight(words) || vectors + words === 0)
    throw invalid(where, 'expected two weights that are not negative, and not both 0');
  return { words, vectors };
}

/** Absent and null: none. */
export function readAttributes(value: unknown, where: string): Attributes | undefined {
  if (value === undefined || value === null) return undefined;
  const fields = Object.entries(objectOf(value, where));
  if (fields.length > limits.attributes) throw invalid(where, `expected at most ${limits.attributes} attributes`);
  for (const [name, each] of fields) {
    if (name.length > limits.name) throw invalid(where, `a name has more than ${limits.name} characters`);
    if (!isScalar(each) || (typeof each === 'string' && each.length > limits.text))
      throw invalid(`${where}.${name}`, `expected a text of at most ${limits.text} characters, a number or a boolean`);
  }
  return Object.fromEntries(fields) as Attributes;
}
