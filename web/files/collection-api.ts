// The collections of the user on the server.

import type {
  CollectionBody,
  CollectionFileBody,
  CollectionResponseBody,
  CollectionsResponseBody,
  SearchCollectionResponseBody,
} from '../../src/features/documents/documents-schema.ts';
import { request, requestJson } from '../api/request.ts';
import { uploadFile } from '../api/upload-file.ts';

const pathOf = (id: string, ...rest: readonly string[]): string =>
  ['/api/collections', ...[id, ...rest].map(encodeURIComponent)].join('/');

export const listCollections = async (): Promise<readonly CollectionBody[]> =>
  (await requestJson<CollectionsResponseBody>('/api/collections')).collections;

/** An empty model: words only. */
export const createCollection = (name: string, model: string): Promise<CollectionBody> =>
  requestJson<CollectionBody>('/api/collections', { method: 'POST', body: { name, model } });

export const readCollection = (id: string): Promise<CollectionResponseBody> =>
  requestJson<CollectionResponseBody>(pathOf(id));

export const deleteCollection = (id: string): Promise<Response> => request(pathOf(id), { method: 'DELETE' });

export const deleteCollectionFile = (id: string, file: string): Promise<Response> =>
  request(pathOf(id, 'files', file), { method: 'DELETE' });

export const addCollectionFile = (
  id: string,
  file: File,
  onProgress: (share: number) => void,
): Promise<CollectionFileBody> =>
  uploadFile<CollectionFileBody>(`${pathOf(id, 'files')}?name=${encodeURIComponent(file.name)}`, file, onProgress);

export const searchCollection = async (id: string, query: string): Promise<SearchCollectionResponseBody['results']> =>
  (await requestJson<SearchCollectionResponseBody>(pathOf(id, 'search'), { method: 'POST', body: { query } })).results;
