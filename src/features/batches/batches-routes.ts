// POST and GET /v1/batches, GET /v1/batches/:id, POST /v1/batches/:id/cancel

import { openAiDialect } from '../../server/dialects/shared/openai-dialect.ts';
import { pageOf, pageQuery } from '../../server/dialects/shared/page-of.ts';
import { invalid } from '../../server/dialects/shared/read-fields.ts';
import type { Route } from '../../server/http/route.ts';
import { BatchBody, BatchesResponseBody, CreateBatchRequestBody } from './batches-schema.ts';
import { batchesTag, idOf, ownerOf } from './files-routes.ts';
import type { Batches } from './run/batches.ts';
import type { BatchRecord, BatchStore } from './store/batch-store.ts';

const path = '/v1/batches';
const metadataLimits = { entries: 16, key: 64, value: 512 };

export function batchesRoutes(batches: Batches, store: BatchStore): Route[] {
  const common = { dialect: openAiDialect, scope: 'infer', tag: batchesTag } as const;
  const one = { ...common, path: `${path}/:id`, response: BatchBody } as const;
  return [
    {
      ...common,
      method: 'POST',
      path,
      summary: 'Create a batch: requests that run when nobody else needs the models',
      body: CreateBatchRequestBody,
      response: BatchBody,
      async handle(request): Promise<BatchBody> {
        const body = request.body as CreateBatchRequestBody;
        checkMetadata(body.metadata ?? {});
        await batches.open();
        return toBatchBody(await batches.create({ owner: ownerOf(request), keyId: request.scope.key?.id }, body));
      },
    },
    {
      ...common,
      method: 'GET',
      path,
      summary: 'List the batches of the caller, newest first',
      query: pageQuery,
      response: BatchesResponseBody,
      async handle(request): Promise<BatchesResponseBody> {
        await batches.open();
        return pageOf(store.list(ownerOf(request)).toReversed(), request, toBatchBody);
      },
    },
    {
      ...one,
      method: 'GET',
      summary: 'Show a batch and how far it is',
      async handle(request): Promise<BatchBody> {
        await batches.open();
        return toBatchBody(store.find(ownerOf(request), idOf(request)));
      },
    },
    {
      ...one,
      method: 'POST',
      path: `${path}/:id/cancel`,
      summary: 'Cancel a batch; the answers that it has are kept',
      async handle(request): Promise<BatchBody> {
        await batches.open();
        return toBatchBody(await batches.cancel(ownerOf(request), idOf(request)));
      },
    },
  ];
}

function checkMetadata(metadata: Readonly<Record<string, string>>): void {
  const { entries, key: maxKey, value: maxValue } = metadataLimits;
  const pairs = Object.entries(metadata);
  if (pairs.length > entries || pairs.some(([key, value]) => key.length > maxKey || value.length > maxValue))
    throw invalid('metadata', `expected at most ${entries} names of ${maxKey} characters with texts of ${maxValue}`);
}

function toBatchBody(batch: BatchRecord): BatchBody {
  const { id, endpoint, inputFileId, completionWindow, status, createdAt, expiresAt, at, counts, problems } = batch;
  // Files are shown when they are complete.
  const areComplete = ['completed', 'failed', 'expired', 'cancelled'].includes(status);
  return {
    id,
    object: 'batch',
    endpoint,
    errors: problems.length === 0 ? null : { object: 'list', data: problems.map((problem) => ({ ...problem })) },
    input_file_id: inputFileId,
    completion_window: completionWindow,
    status,
    output_file_id: areComplete && counts.completed > 0 ? batch.outputFileId : null,
    error_file_id: areComplete && counts.failed > 0 ? batch.errorFileId : null,
    created_at: createdAt,
    in_progress_at: at.inProgress ?? null,
    expires_at: expiresAt,
    finalizing_at: at.finalizing ?? null,
    completed_at: at.completed ?? null,
    failed_at: at.failed ?? null,
    expired_at: at.expired ?? null,
    cancelling_at: at.cancelling ?? null,
    cancelled_at: at.cancelled ?? null,
    request_counts: { ...counts },
    metadata: batch.metadata ?? null,
  };
}
