// The reranker for requests that name no model: clients of TEI, which serves one model, do not.

import { HearthError } from '../../../base/errors.ts';
import type { Store } from '../../../models/store/store.ts';
import type { ReadModelCard } from '../models/model-card.ts';
import { listModelCards } from './list-models.ts';

const maxNames = 5;

/** The only reranker of the store. With none, or with several, the request must name its model. */
export async function findReranker(store: Store, readCard: ReadModelCard): Promise<string> {
  const rerankers = (await listModelCards(store, readCard)).filter(({ card }) => card?.capabilities.includes('rerank'));
  const [only, ...others] = rerankers.map(({ name }) => name);
  if (only === undefined) throw new HearthError('bad_request', 'model is required: there is no reranker in the store');
  if (others.length === 0) return only;
  const names = [only, ...others].slice(0, maxNames).join(', ');
  throw new HearthError('bad_request', `model is required: the store has several rerankers, such as ${names}`);
}
