// /v1/vector_stores on the wire.

import { Type } from 'typebox';
import { nullable } from '../../server/dialects/shared/common-fields-schema.ts';
import { pageSchema } from '../../server/dialects/shared/page-schema.ts';
import type { Wire } from '../../server/dialects/shared/wire-schema.ts';

const unixTime = Type.Integer({ description: 'Unix time.' });
const Metadata = Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 512 }), { maxProperties: 16 });
const AttributesBody = Type.Record(Type.String(), Type.Unknown());
const ignoredChunking = Type.Optional(
  Type.Unknown({ description: 'Ignored: passages have up to 1200 characters.', documented: { type: 'object' } }),
);
const attributesField = Type.Optional(
  nullable(
    Type.Unknown({
      description: 'Up to 16 texts, numbers or booleans, for filters of searches.',
      documented: { type: 'object' },
    }),
  ),
);

const FileCounts = Type.Object({
  in_progress: Type.Integer(),
  completed: Type.Integer(),
  failed: Type.Integer(),
  cancelled: Type.Integer(),
  total: Type.Integer(),
});
export type FileCountsBody = Wire<typeof FileCounts>;

const ExpiresAfter = Type.Object({
  anchor: Type.Literal('last_active_at'),
  days: Type.Integer({ minimum: 1, maximum: 365 }),
});

export const VectorStoreBody = Type.Object({
  id: Type.String(),
  object: Type.Literal('vector_store'),
  created_at: unixTime,
  name: Type.String(),
  description: Type.Optional(Type.String()),
  usage_bytes: Type.Integer({ description: 'The size of the files as they were sent.' }),
  file_counts: FileCounts,
  status: Type.Enum(['expired', 'in_progress', 'completed']),
  expires_after: Type.Optional(ExpiresAfter),
  expires_at: nullable(unixTime),
  last_active_at: nullable(unixTime),
  metadata: nullable(Metadata),
  model: Type.Optional(Type.String({ description: 'The embedding model. Not part of the OpenAI API.' })),
  reranker: Type.Optional(Type.String({ description: 'Not part of the OpenAI API.' })),
});
export type VectorStoreBody = Wire<typeof VectorStoreBody>;

export const VectorStoresResponseBody = pageSchema(VectorStoreBody);
export type VectorStoresResponseBody = Wire<typeof VectorStoresResponseBody>;

const fileIds = Type.Array(Type.String(), { minItems: 1, maxItems: 1000 });

export const CreateVectorStoreRequestBody = Type.Object({
  name: Type.Optional(Type.String({ maxLength: 200 })),
  description: Type.Optional(Type.String({ maxLength: 1000 })),
  file_ids: Type.Optional(Type.Array(Type.String(), { maxItems: 1000, description: 'Uploaded files (/v1/files).' })),
  expires_after: Type.Optional(ExpiresAfter),
  metadata: Type.Optional(nullable(Metadata)),
  chunking_strategy: ignoredChunking,
  model: Type.Optional(
    Type.String({
      description:
        'An embedding model of this server; empty: passages are found by words only. Default: HEARTH_COLLECTIONS_MODEL. Not part of the OpenAI API.',
    }),
  ),
  reranker: Type.Optional(Type.String({ description: 'A reranker of this server. Not part of the OpenAI API.' })),
});
export type CreateVectorStoreRequestBody = Wire<typeof CreateVectorStoreRequestBody>;

export const UpdateVectorStoreRequestBody = Type.Object({
  name: Type.Optional(nullable(Type.String({ maxLength: 200 }))),
  expires_after: Type.Optional(nullable(ExpiresAfter)),
  metadata: Type.Optional(nullable(Metadata)),
});
export type UpdateVectorStoreRequestBody = Wire<typeof UpdateVectorStoreRequestBody>;

const deleted = <const Name extends string>(object: Name) =>
  Type.Object({ id: Type.String(), object: Type.Literal(object), deleted: Type.Literal(true) });

export const DeleteVectorStoreResponseBody = deleted('vector_store.deleted');
export type DeleteVectorStoreResponseBody = Wire<typeof DeleteVectorStoreResponseBody>;
export const DeleteVectorStoreFileResponseBody = deleted('vector_store.file.deleted');
export type DeleteVectorStoreFileResponseBody = Wire<typeof DeleteVectorStoreFileResponseBody>;

const FileStatus = Type.Enum(['in_progress', 'completed', 'failed', 'cancelled']);
export type VectorStoreFileStatus = Wire<typeof FileStatus>;

export const VectorStoreFileBody = Type.Object({
  id: Type.String({ description: 'The id of the uploaded file.' }),
  object: Type.Literal('vector_store.file'),
  created_at: unixTime,
  vector_store_id: Type.String(),
  usage_bytes: Type.Integer(),
  status: FileStatus,
  last_error: nullable(
    Type.Object({ code: Type.Enum(['server_error', 'unsupported_file', 'invalid_file']), message: Type.String() }),
  ),
  attributes: AttributesBody,
  chunking_strategy: Type.Object({ type: Type.Literal('other') }),
});
export type VectorStoreFileBody = Wire<typeof VectorStoreFileBody>;

export const VectorStoreFilesResponseBody = pageSchema(VectorStoreFileBody);
export type VectorStoreFilesResponseBody = Wire<typeof VectorStoreFilesResponseBody>;

export const AddVectorStoreFileRequestBody = Type.Object({
  file_id: Type.String({ description: 'An uploaded file (/v1/files).' }),
  attributes: attributesField,
  chunking_strategy: ignoredChunking,
});
export type AddVectorStoreFileRequestBody = Wire<typeof AddVectorStoreFileRequestBody>;

export const UpdateVectorStoreFileRequestBody = Type.Object({ attributes: attributesField });
export type UpdateVectorStoreFileRequestBody = Wire<typeof UpdateVectorStoreFileRequestBody>;

export const VectorStoreFileContentBody = Type.Object({
  object: Type.Literal('vector_store.file_content.page'),
  data: Type.Array(Type.Object({ type: Type.Literal('text'), text: Type.String() })),
  has_more: Type.Boolean(),
  next_page: nullable(Type.String()),
});
export type VectorStoreFileContentBody = Wire<typeof VectorStoreFileContentBody>;

export const CreateFileBatchRequestBody = Type.Object({
  file_ids: Type.Optional(fileIds),
  files: Type.Optional(
    Type.Array(AddVectorStoreFileRequestBody, {
      minItems: 1,
      maxItems: 1000,
      description: 'Instead of file_ids: each file with its attributes.',
    }),
  ),
  attributes: attributesField,
  chunking_strategy: ignoredChunking,
});
export type CreateFileBatchRequestBody = Wire<typeof CreateFileBatchRequestBody>;

export const FileBatchBody = Type.Object({
  id: Type.String(),
  object: Type.Literal('vector_store.files_batch'),
  created_at: unixTime,
  vector_store_id: Type.String(),
  status: FileStatus,
  file_counts: FileCounts,
});
export type FileBatchBody = Wire<typeof FileBatchBody>;

export const SearchVectorStoreRequestBody = Type.Object({
  query: Type.Unknown({
    description: 'A text, or several, which are searched together.',
    documented: { type: 'string', minLength: 1, maxLength: 4000 },
  }),
  filters: Type.Optional(
    nullable(
      Type.Unknown({
        description: 'A comparison of an attribute (type eq, ne, gt, gte, lt, lte, in or nin; key; value), or and/or.',
        documented: { type: 'null' },
      }),
    ),
  ),
  max_num_results: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: 'Default: 10.' })),
  ranking_options: Type.Optional(
    nullable(
      Type.Unknown({
        description:
          'ranker "none": without the reranker; score_threshold: from 0 to 1; hybrid_search: embedding_weight and text_weight.',
        documented: { type: 'null' },
      }),
    ),
  ),
  rewrite_query: Type.Optional(Type.Boolean({ description: 'Ignored: queries are not rewritten.' })),
});
export type SearchVectorStoreRequestBody = Wire<typeof SearchVectorStoreRequestBody>;

export const SearchVectorStoreResponseBody = Type.Object({
  object: Type.Literal('vector_store.search_results.page'),
  search_query: Type.Array(Type.String()),
  data: Type.Array(
    Type.Object({
      file_id: Type.String(),
      filename: Type.String(),
      score: Type.Number({ description: 'Of the reranker, or by ranks: 1 is the first by words and by vectors.' }),
      attributes: AttributesBody,
      content: Type.Array(Type.Object({ type: Type.Literal('text'), text: Type.String() })),
    }),
  ),
  has_more: Type.Boolean(),
  next_page: nullable(Type.String()),
});
export type SearchVectorStoreResponseBody = Wire<typeof SearchVectorStoreResponseBody>;
