// /v1/vector_stores/{id}/files and /v1/vector_stores/{id}/file_batches

import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { orderedPageQuery, pageOf } from '../../../server/dialects/shared/page-of.ts';
import { readAttributes } from '../../../server/dialects/shared/passage-query.ts';
import { invalid } from '../../../server/dialects/shared/read-fields.ts';
import type { Route } from '../../../server/http/route.ts';
import type { Collections, FileToAttach } from '../collections/collections.ts';
import {
  AddVectorStoreFileRequestBody,
  CreateFileBatchRequestBody,
  DeleteVectorStoreFileResponseBody,
  FileBatchBody,
  UpdateVectorStoreFileRequestBody,
  VectorStoreFileBody,
  VectorStoreFileContentBody,
  VectorStoreFilesResponseBody,
} from '../vector-stores-schema.ts';
import { toFileBatchBody, toVectorStoreFileBody } from './vector-store-bodies.ts';
import { storeIdOf, vectorStoreRoute, vectorStoresPath } from './vector-stores-routes.ts';

const filesPath = `${vectorStoresPath}/:id/files`;
const batchesPath = `${vectorStoresPath}/:id/file_batches`;
const maxPassages = 50_000;

const filesQuery = {
  ...orderedPageQuery,
  filter: Type.Enum(['in_progress', 'completed', 'failed', 'cancelled'], { description: 'Only such files.' }),
};

const keyOf = ({ scope }: FastifyRequest): string | undefined => scope.key?.id;
const partOf = ({ params }: FastifyRequest): string => (params as { readonly file: string }).file;
const batchOf = ({ params }: FastifyRequest): string => (params as { readonly batch: string }).batch;

export function vectorStoreFilesRoutes(collections: Collections): Route[] {
  const one = { ...vectorStoreRoute, path: `${filesPath}/:file` } as const;
  async function show(request: FastifyRequest, file: string): Promise<VectorStoreFileBody> {
    const collection = await collections.find(keyOf(request), storeIdOf(request));
    return toVectorStoreFileBody(collection, await collections.findFile(keyOf(request), collection.id, file));
  }
  return [
    {
      ...vectorStoreRoute,
      method: 'POST',
      path: filesPath,
      summary: 'Add an uploaded file to a vector store',
      body: AddVectorStoreFileRequestBody,
      response: VectorStoreFileBody,
      async handle(request): Promise<VectorStoreFileBody> {
        const body = request.body as AddVectorStoreFileRequestBody;
        const file = readFile(request, body, 'attributes');
        await collections.attach(keyOf(request), storeIdOf(request), [file]);
        return show(request, file.source);
      },
    },
    {
      ...vectorStoreRoute,
      method: 'GET',
      path: filesPath,
      summary: 'List the files of a vector store, newest first',
      query: filesQuery,
      response: VectorStoreFilesResponseBody,
      handle: (request): Promise<VectorStoreFilesResponseBody> => listFiles(collections, request),
    },
    {
      ...one,
      method: 'GET',
      summary: 'Show a file of a vector store, and how far it is',
      response: VectorStoreFileBody,
      handle: (request): Promise<VectorStoreFileBody> => show(request, partOf(request)),
    },
    {
      ...one,
      method: 'POST',
      summary: 'Replace the attributes of a file',
      body: UpdateVectorStoreFileRequestBody,
      response: VectorStoreFileBody,
      async handle(request): Promise<VectorStoreFileBody> {
        const { attributes } = request.body as UpdateVectorStoreFileRequestBody;
        const read = readAttributes(attributes, 'attributes');
        await collections.setAttributes(keyOf(request), storeIdOf(request), partOf(request), read);
        return show(request, partOf(request));
      },
    },
    {
      ...one,
      method: 'DELETE',
      summary: 'Remove a file from a vector store; the uploaded file stays',
      response: DeleteVectorStoreFileResponseBody,
      async handle(request): Promise<DeleteVectorStoreFileResponseBody> {
        await collections.removeFile(keyOf(request), storeIdOf(request), partOf(request));
        return { id: partOf(request), object: 'vector_store.file.deleted', deleted: true };
      },
    },
    {
      ...one,
      method: 'GET',
      path: `${filesPath}/:file/content`,
      summary: 'Get the text of a file, as its passages',
      response: VectorStoreFileContentBody,
      async handle(request): Promise<VectorStoreFileContentBody> {
        const place = { id: storeIdOf(request), file: partOf(request), limit: maxPassages };
        const { passages } = await collections.readPassages(keyOf(request), place);
        const data = passages.map(({ text }) => ({ type: 'text' as const, text }));
        return { object: 'vector_store.file_content.page', data, has_more: false, next_page: null };
      },
    },
  ];
}

export function fileBatchesRoutes(collections: Collections): Route[] {
  const one = { ...vectorStoreRoute, path: `${batchesPath}/:batch` } as const;
  async function show(request: FastifyRequest, id: string): Promise<FileBatchBody> {
    const collection = await collections.find(keyOf(request), storeIdOf(request));
    const batch = await collections.findBatch(keyOf(request), collection.id, id);
    const files = await collections.listFiles(keyOf(request), collection.id);
    return toFileBatchBody(
      collection,
      batch,
      files.filter((file) => file.batch === id),
    );
  }
  return [
    {
      ...vectorStoreRoute,
      method: 'POST',
      path: batchesPath,
      summary: 'Add several uploaded files to a vector store',
      body: CreateFileBatchRequestBody,
      response: FileBatchBody,
      async handle(request): Promise<FileBatchBody> {
        const { id } = await collections.attachBatch(keyOf(request), storeIdOf(request), readBatchFiles(request));
        return show(request, id);
      },
    },
    {
      ...one,
      method: 'GET',
      summary: 'Show how far the files of a batch are',
      response: FileBatchBody,
      handle: (request): Promise<FileBatchBody> => show(request, batchOf(request)),
    },
    {
      ...one,
      method: 'POST',
      path: `${batchesPath}/:batch/cancel`,
      summary: 'Leave out the files of a batch that are not read yet',
      response: FileBatchBody,
      async handle(request): Promise<FileBatchBody> {
        await collections.cancelBatch(keyOf(request), storeIdOf(request), batchOf(request));
        return show(request, batchOf(request));
      },
    },
    {
      ...one,
      method: 'GET',
      path: `${batchesPath}/:batch/files`,
      summary: 'List the files of a batch, newest first',
      query: filesQuery,
      response: VectorStoreFilesResponseBody,
      async handle(request): Promise<VectorStoreFilesResponseBody> {
        await collections.findBatch(keyOf(request), storeIdOf(request), batchOf(request));
        return listFiles(collections, request, batchOf(request));
      },
    },
  ];
}

async function listFiles(
  collections: Collections,
  request: FastifyRequest,
  batch?: string,
): Promise<VectorStoreFilesResponseBody> {
  const { filter } = request.query as { readonly filter?: string };
  const collection = await collections.find(keyOf(request), storeIdOf(request));
  const files = await collections.listFiles(keyOf(request), collection.id);
  const bodies = files
    .filter((file) => batch === undefined || file.batch === batch)
    .map((file) => toVectorStoreFileBody(collection, file))
    .filter(({ status }) => filter === undefined || status === filter);
  return pageOf(bodies.toReversed(), request, (body) => body);
}

function readFile(request: FastifyRequest, given: AddVectorStoreFileRequestBody, where: string): FileToAttach {
  if (given.chunking_strategy !== undefined) request.report.ignore(['chunking_strategy']);
  return { source: given.file_id, attributes: readAttributes(given.attributes, where) };
}

function readBatchFiles(request: FastifyRequest): FileToAttach[] {
  const { file_ids: ids, files, attributes, chunking_strategy } = request.body as CreateFileBatchRequestBody;
  if ((ids === undefined) === (files === undefined)) throw invalid('file_ids', 'expected either file_ids or files');
  const named = files ?? [...new Set(ids)].map((file_id) => ({ file_id, attributes, chunking_strategy }));
  return named.map((file, index) => readFile(request, file, `files.${index}.attributes`));
}
