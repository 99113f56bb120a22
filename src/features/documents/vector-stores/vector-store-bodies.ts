// Collections and their files as OpenAI's API has them.

import type { IndexedFile, StoredCollection } from '../collections/database/collection-rows.ts';
import type { FileBatch } from '../collections/database/file-batches.ts';
import type {
  FileBatchBody,
  FileCountsBody,
  VectorStoreBody,
  VectorStoreFileBody,
  VectorStoreFileStatus,
} from '../vector-stores-schema.ts';

type Indexing = Pick<StoredCollection, 'model' | 'problem'>;

/** A file is completed when all of its passages have a vector, if the collection has an embedding model. */
function statusOf({ state, passages, embedded }: IndexedFile, { model, problem }: Indexing): VectorStoreFileStatus {
  if (state === 'waiting') return 'in_progress';
  if (state === 'failed') return 'failed';
  if (state === 'canceled') return 'cancelled';
  if (model === undefined || embedded === passages) return 'completed';
  return problem === undefined ? 'in_progress' : 'failed';
}

function countFiles(files: readonly IndexedFile[], indexing: Indexing): FileCountsBody {
  const counts = { in_progress: 0, completed: 0, failed: 0, cancelled: 0, total: files.length };
  for (const file of files) counts[statusOf(file, indexing)]++;
  return counts;
}

export function toVectorStoreBody(
  collection: StoredCollection,
  files: readonly IndexedFile[],
  nowMs: number,
): VectorStoreBody {
  const { expiresAfterDays: days, expiresAt = null } = collection;
  const counts = countFiles(files, collection);
  const isExpired = expiresAt !== null && expiresAt * 1000 <= nowMs;
  return {
    id: collection.id,
    object: 'vector_store',
    created_at: collection.createdAt,
    name: collection.name,
    description: collection.description,
    usage_bytes: collection.bytes,
    file_counts: counts,
    status: isExpired ? 'expired' : counts.in_progress > 0 ? 'in_progress' : 'completed',
    ...(days === undefined ? {} : { expires_after: { anchor: 'last_active_at', days } }),
    expires_at: expiresAt,
    last_active_at: collection.activeAt,
    metadata: collection.metadata ?? {},
    model: collection.model,
    reranker: collection.reranker,
  };
}

export function toVectorStoreFileBody(collection: StoredCollection, file: IndexedFile): VectorStoreFileBody {
  const status = statusOf(file, collection);
  return {
    id: file.source ?? file.id,
    object: 'vector_store.file',
    created_at: file.createdAt,
    vector_store_id: collection.id,
    usage_bytes: file.bytes,
    status,
    last_error: status === 'failed' ? toError(collection, file) : null,
    attributes: file.attributes ?? {},
    chunking_strategy: { type: 'other' },
  };
}

function toError({ problem }: Indexing, file: IndexedFile): VectorStoreFileBody['last_error'] {
  if (file.state === 'failed') return { code: 'invalid_file', message: file.problem ?? '' };
  return { code: 'server_error', message: `passages are found by words only: ${problem}` };
}

export function toFileBatchBody(
  collection: StoredCollection,
  { id, createdAt, isCanceled }: FileBatch,
  files: readonly IndexedFile[],
): FileBatchBody {
  const counts = countFiles(files, collection);
  const isRunning = counts.in_progress > 0;
  return {
    id,
    object: 'vector_store.files_batch',
    created_at: createdAt,
    vector_store_id: collection.id,
    status: isCanceled
      ? 'cancelled'
      : isRunning
        ? 'in_progress'
        : counts.failed === files.length
          ? 'failed'
          : 'completed',
    file_counts: counts,
  };
}
