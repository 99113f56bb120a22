// /v1/vector_stores: the collections of the caller as OpenAI's API has them.

import type { FastifyRequest } from 'fastify';
import { openAiDialect } from '../../../server/dialects/shared/openai-dialect.ts';
import { orderedPageQuery, pageOf } from '../../../server/dialects/shared/page-of.ts';
import { readAttributeFilter, readRankingOptions } from '../../../server/dialects/shared/passage-query.ts';
import { invalid, readTexts } from '../../../server/dialects/shared/read-fields.ts';
import type { Route } from '../../../server/http/route.ts';
import type { FoundPassage } from '../../../server/services/documents/passage-search.ts';
import type { Collections } from '../collections/collections.ts';
import {
  CreateVectorStoreRequestBody,
  DeleteVectorStoreResponseBody,
  SearchVectorStoreRequestBody,
  SearchVectorStoreResponseBody,
  UpdateVectorStoreRequestBody,
  VectorStoreBody,
  VectorStoresResponseBody,
} from '../vector-stores-schema.ts';
import { toVectorStoreBody } from './vector-store-bodies.ts';

export const vectorStoreRoute = { dialect: openAiDialect, scope: 'infer', tag: 'Documents' } as const;
export const vectorStoresPath = '/v1/vector_stores';
const defaultResults = 10;
const maxQueryLength = 4000;

interface VectorStoresParts {
  readonly collections: Collections;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export const storeIdOf = ({ params }: FastifyRequest): string => (params as { readonly id: string }).id;

export function vectorStoresRoutes({ collections, now }: VectorStoresParts): Route[] {
  const one = { ...vectorStoreRoute, path: `${vectorStoresPath}/:id` } as const;
  const show = async (key: string | undefined, id: string): Promise<VectorStoreBody> =>
    toVectorStoreBody(await collections.find(key, id), await collections.listFiles(key, id), now());
  return [
    {
      ...vectorStoreRoute,
      method: 'POST',
      path: vectorStoresPath,
      summary: 'Create a vector store: a collection of uploaded files',
      body: CreateVectorStoreRequestBody,
      response: VectorStoreBody,
      async handle({ body, scope: { key, client, signal }, report }): Promise<VectorStoreBody> {
        const { file_ids: files = [], expires_after, metadata, ...given } = body as CreateVectorStoreRequestBody;
        const { chunking_strategy: chunking, name = '', description, model, reranker } = given;
        if (chunking !== undefined) report.ignore(['chunking_strategy']);
        const details = { description, metadata: metadata ?? undefined, expiresAfterDays: expires_after?.days };
        const caller = { keyId: key?.id, client, signal };
        const { id } = await collections.create(caller, { name, model, reranker, ...details }, 'vs');
        if (files.length > 0)
          await collections.attach(
            key?.id,
            id,
            [...new Set(files)].map((source) => ({ source })),
          );
        return show(key?.id, id);
      },
    },
    {
      ...vectorStoreRoute,
      method: 'GET',
      path: vectorStoresPath,
      summary: 'List the vector stores of the caller, newest first',
      query: orderedPageQuery,
      response: VectorStoresResponseBody,
      async handle(request): Promise<VectorStoresResponseBody> {
        const key = request.scope.key?.id;
        const page = pageOf((await collections.list(key)).toReversed(), request, (collection) => collection);
        const data: VectorStoreBody[] = [];
        for (const { id } of page.data) data.push(await show(key, id));
        return { ...page, data };
      },
    },
    {
      ...one,
      method: 'GET',
      summary: 'Show a vector store',
      response: VectorStoreBody,
      handle: (request): Promise<VectorStoreBody> => show(request.scope.key?.id, storeIdOf(request)),
    },
    {
      ...one,
      method: 'POST',
      summary: 'Change the name, the metadata or the expiry of a vector store',
      body: UpdateVectorStoreRequestBody,
      response: VectorStoreBody,
      async handle(request): Promise<VectorStoreBody> {
        const { name, expires_after, metadata } = request.body as UpdateVectorStoreRequestBody;
        const key = request.scope.key?.id;
        await collections.update(key, storeIdOf(request), {
          ...(name === undefined || name === null ? {} : { name }),
          ...(metadata === undefined ? {} : { metadata: metadata ?? undefined }),
          ...(expires_after === undefined ? {} : { expiresAfterDays: expires_after?.days }),
        });
        return show(key, storeIdOf(request));
      },
    },
    {
      ...one,
      method: 'DELETE',
      summary: 'Delete a vector store; the uploaded files stay',
      response: DeleteVectorStoreResponseBody,
      async handle(request): Promise<DeleteVectorStoreResponseBody> {
        const id = storeIdOf(request);
        await collections.remove(request.scope.key?.id, id);
        return { id, object: 'vector_store.deleted', deleted: true };
      },
    },
  ];
}

export function vectorStoreSearchRoute(collections: Collections): Route {
  return {
    ...vectorStoreRoute,
    method: 'POST',
    path: `${vectorStoresPath}/:id/search`,
    summary: 'Find passages by words and by meaning',
    body: SearchVectorStoreRequestBody,
    response: SearchVectorStoreResponseBody,
    async handle(request): Promise<SearchVectorStoreResponseBody> {
      const { query, max_num_results: limit = defaultResults, ...given } = request.body as SearchVectorStoreRequestBody;
      const texts = readTexts(query, 'query');
      const text = texts.join('\n');
      if (text.trim() === '' || text.length > maxQueryLength)
        throw invalid('query', `expected 1 to ${maxQueryLength} characters`);
      const { key, client, signal } = request.scope;
      const found = await collections.searchAll({ keyId: key?.id, client, signal }, [storeIdOf(request)], {
        text,
        limit,
        filter: readAttributeFilter(given.filters, 'filters'),
        ...readRankingOptions(given.ranking_options, 'ranking_options'),
      });
      return {
        object: 'vector_store.search_results.page',
        search_query: [...texts],
        data: found.map(toResult),
        has_more: false,
        next_page: null,
      };
    },
  };
}

function toResult({ fileId, fileName, score, attributes = {}, text }: FoundPassage) {
  return { file_id: fileId, filename: fileName, score, attributes, content: [{ type: 'text' as const, text }] };
}
