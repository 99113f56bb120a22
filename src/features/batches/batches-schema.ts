// /v1/files and /v1/batches on the wire.

import { Type } from 'typebox';
import { pageSchema } from '../../server/dialects/shared/page-schema.ts';
import type { Wire } from '../../server/dialects/shared/wire-schema.ts';

/** Names of times say what happened then. */
const unixTime = Type.Integer({ description: 'Unix time.' });
const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);

export const FileBody = Type.Object({
  id: Type.String(),
  object: Type.Literal('file'),
  bytes: Type.Integer(),
  created_at: unixTime,
  expires_at: Type.Optional(unixTime),
  filename: Type.String(),
  purpose: Type.String({ description: '"batch" for input, "batch_output" for results, "user_data" for documents.' }),
  status: Type.Literal('processed'),
});
export type FileBody = Wire<typeof FileBody>;

export const FilesResponseBody = pageSchema(FileBody);
export type FilesResponseBody = Wire<typeof FilesResponseBody>;

export const DeleteFileResponseBody = Type.Object({
  id: Type.String(),
  object: Type.Literal('file'),
  deleted: Type.Literal(true),
});
export type DeleteFileResponseBody = Wire<typeof DeleteFileResponseBody>;

/** The routes that a batch can ask. */
export const batchEndpoints = ['/v1/chat/completions', '/v1/completions', '/v1/embeddings', '/v1/responses'] as const;

const Metadata = Type.Record(Type.String(), Type.String());

export const CreateBatchRequestBody = Type.Object({
  input_file_id: Type.String({ description: 'An uploaded file: one request per line.' }),
  endpoint: Type.Enum([...batchEndpoints], { description: 'As in all lines.' }),
  completion_window: Type.String({
    pattern: '^[1-9][0-9]{0,2}h$',
    description: 'How long it may take, such as "24h".',
  }),
  metadata: Type.Optional(Metadata),
  output_expires_after: Type.Optional(
    Type.Object({
      anchor: Type.Literal('created_at'),
      seconds: Type.Integer({ minimum: 3600, maximum: 2_592_000, description: 'When the results are removed.' }),
    }),
  ),
});
export type CreateBatchRequestBody = Wire<typeof CreateBatchRequestBody>;

export const BatchBody = Type.Object({
  id: Type.String(),
  object: Type.Literal('batch'),
  endpoint: Type.String(),
  errors: orNull(
    Type.Object({
      object: Type.Literal('list'),
      data: Type.Array(
        Type.Object({
          code: Type.String(),
          message: Type.String(),
          param: orNull(Type.String()),
          line: orNull(Type.Integer()),
        }),
      ),
    }),
  ),
  input_file_id: Type.String(),
  completion_window: Type.String(),
  status: Type.Enum([
    'validating',
    'failed',
    'in_progress',
    'finalizing',
    'completed',
    'expired',
    'cancelling',
    'cancelled',
  ]),
  output_file_id: orNull(Type.String()),
  error_file_id: orNull(Type.String({ description: 'The file of the lines that failed.' })),
  created_at: unixTime,
  in_progress_at: orNull(unixTime),
  expires_at: unixTime,
  finalizing_at: orNull(unixTime),
  completed_at: orNull(unixTime),
  failed_at: orNull(unixTime),
  expired_at: orNull(unixTime),
  cancelling_at: orNull(unixTime),
  cancelled_at: orNull(unixTime),
  request_counts: Type.Object({ total: Type.Integer(), completed: Type.Integer(), failed: Type.Integer() }),
  metadata: orNull(Metadata),
});
export type BatchBody = Wire<typeof BatchBody>;

export const BatchesResponseBody = pageSchema(BatchBody);
export type BatchesResponseBody = Wire<typeof BatchesResponseBody>;
