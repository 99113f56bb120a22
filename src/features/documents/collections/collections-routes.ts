// /api/collections: create, list, show, delete, add and remove files, search.

import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { toPassageBody } from '../../../server/dialects/shared/passage-body.ts';
import { invalid } from '../../../server/dialects/shared/read-fields.ts';
import type { Route } from '../../../server/http/route.ts';
import type { DocumentUploads } from '../document-uploads.ts';
import { documentRoute, nameQuery } from '../documents-routes.ts';
import {
  CollectionBody,
  CollectionFileBody,
  CollectionPassagesResponseBody,
  CollectionResponseBody,
  CollectionsResponseBody,
  CreateCollectionRequestBody,
  SearchCollectionRequestBody,
  SearchCollectionResponseBody,
} from '../documents-schema.ts';
import type { Collections } from './collections.ts';
import type { IndexedFile, StoredCollection } from './database/collection-rows.ts';

const path = '/api/collections';
const defaultLimit = 8;
const maxPassages = 20;
const passagesQuery = {
  page: Type.Integer({ minimum: 1, description: 'Only this page of a PDF.' }),
  from: Type.Integer({ minimum: 0, description: 'Passages that end before this place are left out. Default: 0.' }),
};

const paramsOf = ({ params }: FastifyRequest) => params as { readonly id: string; readonly file: string };

export function collectionsRoutes(collections: Collections): Route[] {
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
        const caller = { keyId: scope.key?.id, client: scope.client, signal: scope.signal };
        return toBody(await collections.create(caller, { name, model, reranker }, 'coll'));
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
        const { id } = paramsOf(request);
        const key = request.scope.key?.id;
        const collection = await collections.find(key, id);
        return { collection: toBody(collection), files: (await collections.listFiles(key, id)).map(toFileBody) };
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
      path: `${path}/:id/search`,
      summary: 'Find passages by words and by meaning',
      body: SearchCollectionRequestBody,
      response: SearchCollectionResponseBody,
      async handle(request): Promise<SearchCollectionResponseBody> {
        const { query: text, limit = defaultLimit } = request.body as SearchCollectionRequestBody;
        const { key, client, signal } = request.scope;
        const caller = { keyId: key?.id, client, signal };
        const found = await collections.searchAll(caller, [paramsOf(request).id], { text, limit });
        return { results: found.map(toPassageBody) };
      },
    },
  ];
}

export function collectionFilesRoutes(collections: Collections, uploads: DocumentUploads): Route[] {
  const one = { ...documentRoute, path: `${path}/:id` } as const;
  return [
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
      method: 'GET',
      path: `${path}/:id/files/:file/passages`,
      summary: 'Get the text around a passage',
      query: passagesQuery,
      response: CollectionPassagesResponseBody,
      async handle(request): Promise<CollectionPassagesResponseBody> {
        const { page, from } = request.query as { readonly page?: string; readonly from?: string };
        const window = { page: readCount(page, 'page'), from: readCount(from, 'from'), limit: maxPassages };
        const { file, passages } = await collections.readPassages(request.scope.key?.id, {
          ...paramsOf(request),
          ...window,
        });
        return { file: toFileBody(file), passages };
      },
    },
    {
      ...one,
      method: 'GET',
      path: `${path}/:id/files/:file/content`,
      summary: 'Get a PDF file of a collection',
      async handle(request, reply) {
        const { id, file } = paramsOf(request);
        const bytes = await collections.readOriginal(request.scope.key?.id, id, file);
        return reply.headers(contentHeaders).type('application/pdf').send(Buffer.from(bytes));
      },
    },
  ];
}

/** Whatever the file has, a browser neither opens nor runs it. */
const contentHeaders = {
  'content-disposition': 'attachment; filename="document.pdf"',
  'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'private, no-store',
};

function readCount(value: string | undefined, where: string): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d{1,9}$/.test(value)) throw invalid(where, 'expected a number');
  return Number(value);
}

function toBody(collection: StoredCollection): CollectionBody {
  const { id, name, model, reranker, createdAt, files, passages, embedded, problem } = collection;
  return { id, name, model, reranker, created_at: createdAt, files, passages, embedded, problem };
}

function toFileBody(file: IndexedFile): CollectionFileBody {
  const { id, name, type, pages, characters, createdAt, state, problem, passages, embedded } = file;
  const counts = { passages, embedded, original: file.hasOriginal };
  return { id, name, type, pages, characters, created_at: createdAt, state, problem, ...counts };
}
