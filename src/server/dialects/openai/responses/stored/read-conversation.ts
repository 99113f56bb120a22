// The items that a request continues and refers to, from stored responses.

import { HearthError } from '../../../../../base/errors.ts';
import type { CallerKey } from '../../../../../base/request/caller-key.ts';
import { type InputItem, readInputItems, referencedIds } from '../request/input-items.ts';
import type { InputTokensRequestBody } from '../request/responses-request-schema.ts';
import type { ResponseRecord } from './response-record.ts';
import { type ResponseOwner, type ResponseStore, responseNotFound } from './response-store.ts';

interface ConversationSource extends ResponseOwner {
  readonly store: ResponseStore;
  readonly newId: (prefix: string) => string;
}

/** The items of earlier responses, then those of the request. */
export async function readConversation(
  { input, previous_response_id: previous }: InputTokensRequestBody,
  { store, newId, ...owner }: ConversationSource,
): Promise<InputItem[]> {
  if (previous !== undefined) await store.fetch(previous, owner);
  const own = readInputItems(input, newId);
  const referenced = store.findItems(referencedIds(own), owner);
  const resolved = own.map((item) => {
    if (item.type !== 'item_reference') return item;
    const found = referenced.get(item.id);
    if (found === undefined) throw new HearthError('response_not_found', `item "${item.id.slice(0, 100)}" not found`);
    return found;
  });
  return previous === undefined ? resolved : [...itemsOf(store.find(previous, owner), previous), ...resolved];
}

function itemsOf(record: ResponseRecord | undefined, id: string): InputItem[] {
  if (record === undefined)
    throw new HearthError('previous_response_not_found', `previous response "${id.slice(0, 100)}" not found`);
  if (!record.isFinished()) throw new HearthError('bad_request', `response "${id}" is not finished`);
  return [...record.input, ...(record.response().output as readonly InputItem[])];
}

export async function findRecord(store: ResponseStore, id: string, key: CallerKey | undefined) {
  await store.fetch(id, { key });
  const record = store.find(id, { key });
  if (record === undefined) throw responseNotFound(id);
  return record;
}
