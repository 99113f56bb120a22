// /api/documents/text and /api/collections on the wire.

import { Type } from 'typebox';
import { PassageBody } from '../../server/dialects/shared/passage-body-schema.ts';
import type { Wire } from '../../server/dialects/shared/wire-schema.ts';

export const DocumentTextResponseBody = Type.Object({
  type: Type.Enum(['pdf', 'docx', 'html', 'text']),
  pages: Type.Integer({ description: 'The number of pages; 1 for a document without pages.' }),
  characters: Type.Integer(),
  text: Type.String({ description: 'The pages of a document with several begin with a line such as [Page 2].' }),
});
export type DocumentTextResponseBody = Wire<typeof DocumentTextResponseBody>;

export const CollectionBody = Type.Object({
  id: Type.String(),
  name: Type.String(),
  model: Type.Optional(Type.String({ description: 'The embedding model. Absent: passages are found by words only.' })),
  reranker: Type.Optional(Type.String({ description: 'The model that ranks the passages that were found.' })),
  created_at: Type.Integer({ description: 'Unix time.' }),
  files: Type.Integer({ description: 'The number of files.' }),
  passages: Type.Integer(),
  embedded: Type.Integer({ description: 'Passages that have a vector. The others are found by words only.' }),
  problem: Type.Optional(Type.String({ description: 'Why passages have no vector.' })),
});
export type CollectionBody = Wire<typeof CollectionBody>;

export const CollectionFileBody = Type.Object({
  id: Type.String(),
  name: Type.String(),
  type: Type.String(),
  pages: Type.Integer(),
  characters: Type.Integer(),
  created_at: Type.Integer({ description: 'Unix time.' }),
  state: Type.Enum(['waiting', 'read', 'failed', 'canceled'], {
    description: 'Files that were uploaded to /v1/files are read afterwards.',
  }),
  problem: Type.Optional(Type.String({ description: 'Why the file was not read.' })),
  passages: Type.Integer(),
  embedded: Type.Integer({ description: 'Passages that have a vector.' }),
  original: Type.Boolean({ description: 'Whether the collection keeps the file itself, as it does with PDF files.' }),
});
export type CollectionFileBody = Wire<typeof CollectionFileBody>;

export const CollectionsResponseBody = Type.Object({ collections: Type.Array(CollectionBody) });
export type CollectionsResponseBody = Wire<typeof CollectionsResponseBody>;

export const CollectionResponseBody = Type.Object({
  collection: CollectionBody,
  files: Type.Array(CollectionFileBody),
});
export type CollectionResponseBody = Wire<typeof CollectionResponseBody>;

export const CreateCollectionRequestBody = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  model: Type.Optional(
    Type.String({
      description:
        'An embedding model of this server; empty: passages are found by words only. Default: HEARTH_COLLECTIONS_MODEL.',
    }),
  ),
  reranker: Type.Optional(Type.String({ description: 'A reranker of this server.' })),
});
export type CreateCollectionRequestBody = Wire<typeof CreateCollectionRequestBody>;

export const SearchCollectionRequestBody = Type.Object({
  query: Type.String({ minLength: 1, maxLength: 4000 }),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: 'Default: 8.' })),
});
export type SearchCollectionRequestBody = Wire<typeof SearchCollectionRequestBody>;

export const SearchCollectionResponseBody = Type.Object({ results: Type.Array(PassageBody) });
export type SearchCollectionResponseBody = Wire<typeof SearchCollectionResponseBody>;

export const CollectionPassagesResponseBody = Type.Object({
  file: CollectionFileBody,
  passages: Type.Array(
    Type.Object({
      text: Type.String(),
      page: Type.Optional(Type.Integer({ description: 'The page of a PDF.' })),
      start: Type.Integer(),
      end: Type.Integer(),
    }),
    { description: 'In the order of the document, at most 20.' },
  ),
});
export type CollectionPassagesResponseBody = Wire<typeof CollectionPassagesResponseBody>;
