// /api/collections: create, list, show, delete, add and remove files, search.

import type { FastifyRequest } from 'fastify';
import type { Route } from '../../../server/http/route.ts';
import type { DocumentUploads } from '../document-uploads.ts';
import { documentRoute, nameQuery } from '../documents-routes.ts';
import {
  CollectionBody,
  CollectionFileBody,
  CollectionResponseBody,
  CollectionsResponseBody,
  CreateCollectionRequestBody,
  SearchCollectionRequestBody,
  SearchCollectionResponseBody,
} from '../documents-schema.ts';
import type { Collections } from './collections.ts';
import type { CollectionFile, StoredCollection } from './passage-index.ts';

const path = '/api/collections';
const defaultLimit = 8;

const paramsOf = ({ params }: FastifyRequest) => params as { readonly id: string; readonly file: string };

export function collectionsRoutes(collections: Collections, uploads: DocumentUploads): Route[] {
  const one = { ...documentRoute, path: `${path}/:id` } as const;
  return [
    {
      ...documentRoute,
      method: 'POST',
      path,
      summary: 'Create a collection of documents',
      body: CreateCollectionRequestBody,
      response: CollectionBody,
      async handle({ body, scope }): Promise<CollectionBody> {
        const { name, model, reranker } = body as CreateCollectionRequestBody;
        return toBody(await collections.create(scope.key?.id, { name, model, reranker }, scope.signal));
      },
    },
    {
      ...documentRoute,
      method: 'GET',
      path,
      summary: 'List the collections of the caller',
      response: CollectionsResponseBody,
      handle: async ({ scope }): Promise<CollectionsResponseBody> => ({
        collections: (await collections.list(scope.key?.id)).map(toBody),
      }),
    },
    {
      ...one,
      method: 'GET',
      summary: 'Show a collection and its files',
      response: CollectionResponseBody,
      async handle(request): Promise<CollectionResponseBody> {
        const { collection, files } = await collections.show(request.scope.key?.id, paramsOf(request).id);
        return { collection: toBody(collection), files: files.map(toFileBody) };
      },
    },
    {
      ...one,
      method: 'DELETE',
      summary: 'Delete a collection with its files',
      async handle(request, reply) {
        await collections.remove(request.scope.key?.id, paramsOf(request).id);
        return reply.send();
      },
    },
    {
      ...one,
      method: 'POST',
      path: `${path}/:id/files`,
      summary: 'Add a document to a collection',
      query: nameQuery,
      readsBody: true,
      response: CollectionFileBody,
      handle: (request): Promise<CollectionFileBody> =>
        uploads.use(request, async (source, caller) =>
          toFileBody(await collections.addFile(request.scope.key?.id, paramsOf(request).id, source, caller)),
        ),
    },
    {
      ...one,
      method: 'DELETE',
      path: `${path}/:id/files/:file`,
      summary: 'Remove a document from a collection',
      async handle(request, reply) {
        const { id, file } = paramsOf(request);
        await collections.removeFile(request.scope.key?.id, id, file);
        return reply.send();
      },
    },
    {
      ...one,
      method: 'POST',
      path: `${path}/:id/search`,
      summary: 'Find passages by words and by meaning',
      body: SearchCollectionRequestBody,
      response: SearchCollectionResponseBody,
      async handle(request): Promise<SearchCollectionResponseBody> {
        const { query: text, limit = defaultLimit } = request.body as SearchCollectionRequestBody;
        const { key, signal } = request.scope;
        const found = await collections.search(key?.id, paramsOf(request).id, { text, limit }, signal);
        return {
          results: found.map(({ fileId, fileName, ...passage }) => ({
            ...passage,
            file_id: fileId,
            file_name: fileName,
          })),
        };
      },
    },
  ];
}

function toBody({ createdAt, ...collection }: StoredCollection): CollectionBody {
  return { ...collection, created_at: createdAt };
}

function toFileBody({ createdAt, ...file }: CollectionFile): CollectionFileBody {
  return { ...file, created_at: createdAt };
}
