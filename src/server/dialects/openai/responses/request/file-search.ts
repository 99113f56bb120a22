// Tools of the type file_search, the items of their calls, and filters of attributes.

import { HearthError } from '../../../../../base/errors.ts';
import type { ConversationMessage } from '../../../../../inference/model/conversation.ts';
import { type CollectionRequest, writePassages } from '../../../../services/tools/collection-search.ts';
import { readAttributeFilter, readRankingOptions } from '../../../shared/passage-query.ts';
import { type Fields, invalid, objectOf, stringOf } from '../../../shared/read-fields.ts';
import type { InputItem } from './input-items.ts';

export type FileSearch = Omit<CollectionRequest, 'keyId' | 'client'>;

const limits = { collections: 16, results: 50 };
// Twenty passages, as at OpenAI, would fill the context of many local models.
const defaultResults = 8;

export function readFileSearch(fields: Fields, where: string): FileSearch {
  const { vector_store_ids: ids, max_num_results: limit = defaultResults } = fields;
  if (!Array.isArray(ids) || ids.length === 0 || ids.length > limits.collections)
    throw invalid(`${where}.vector_store_ids`, `expected 1 to ${limits.collections} ids`);
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > limits.results)
    throw invalid(`${where}.max_num_results`, `expected a number from 1 to ${limits.results}`);
  return {
    collections: [...new Set(ids.map((id) => stringOf(id, `${where}.vector_store_ids`)))],
    limit,
    filter: readAttributeFilter(fields['filters'], `${where}.filters`),
    ...readRankingOptions(fields['ranking_options'], `${where}.ranking_options`),
  };
}

export function refuseSecondSearch(known: FileSearch | undefined): void {
  if (known !== undefined)
    throw new HearthError('unsupported', 'tools: only one of the type file_search; it may name several vector stores');
}

/** A call with its results, as messages. Without results, the model sees nothing of it: the answer follows. */
export function readFileSearchCall(item: InputItem): ConversationMessage[] {
  const { results, queries } = item;
  if (!Array.isArray(results)) return [];
  const passages = results.map((result) => {
    const { filename, text } = objectOf(result, 'results');
    return { fileName: stringOf(filename ?? 'document', 'filename'), text: stringOf(text ?? '', 'text') };
  });
  const query = Array.isArray(queries) ? queries.filter((each) => typeof each === 'string').join('\n') : '';
  const call = { id: `call_${item.id}`, name: 'file_search', arguments: { query } };
  return [
    { role: 'assistant', content: '', encodedImages: [], toolCalls: [call] },
    { role: 'tool', content: writePassages(passages), encodedImages: [], toolCallId: call.id, toolName: call.name },
  ];
}
