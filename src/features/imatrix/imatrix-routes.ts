// POST /api/imatrix computes an importance matrix, GET /api/imatrix/:digest sends its file.

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createAsyncQueue } from '../../base/async-queue.ts';
import { type Digest, parseDigest } from '../../base/digest.ts';
import { HearthError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { isImatrix } from '../../formats/gguf/imatrix.ts';
import { readGgufFile } from '../../formats/gguf/read-gguf.ts';
import { parseRequestedModel } from '../../models/name.ts';
import { mediaTypes } from '../../models/store/manifests/manifest.ts';
import type { Store } from '../../models/store/store.ts';
import { digestField } from '../../server/dialects/shared/common-fields-schema.ts';
import { ollamaDialect } from '../../server/dialects/shared/ollama-dialect.ts';
import type { Route } from '../../server/http/route.ts';
import { sendStream } from '../../server/http/streaming/send-stream.ts';
import { openModel } from '../../server/services/models/open-model.ts';
import type { ComputeImatrix } from './compute-imatrix.ts';
import { tokensPerChunk } from './imatrix-messages.ts';
import { ImatrixDoneBody, ImatrixRequestBody, ImatrixResponseBody } from './imatrix-schema.ts';

interface ImatrixParts {
  readonly store: Store;
  readonly computeImatrix: ComputeImatrix;
  readonly logger: Logger;
}

interface ImatrixJob {
  readonly model: string;
  readonly text: string;
  readonly dataset: string;
  readonly maxChunks: number | undefined;
}

const path = '/api/imatrix';
const readAhead = 2 ** 20;

export function imatrixRoutes(parts: ImatrixParts): Route[] {
  const { store, logger } = parts;
  const common = { dialect: ollamaDialect, scope: 'manage', tag: 'Models' } as const;
  return [
    {
      ...common,
      method: 'POST',
      path,
      summary: 'Compute an importance matrix of a model over a text',
      body: ImatrixRequestBody,
      response: ImatrixDoneBody,
      streams: ImatrixResponseBody,
      async handle(request, reply) {
        const {
          model = '',
          text,
          name = '',
          max_chunks: maxChunks,
          stream = true,
        } = request.body as ImatrixRequestBody;
        if (text === undefined) throw new HearthError('bad_request', 'text is required');
        const job = { model, text, dataset: name, maxChunks };
        const responses = computeFor(job, parts, request.scope.signal);
        if (stream) return sendStream(reply, responses, { dialect: ollamaDialect, logger });
        let last: ImatrixResponseBody | undefined;
        for await (const response of responses) last = response;
        return last;
      },
    },
    {
      ...common,
      method: 'GET',
      path: `${path}/:digest`,
      params: { digest: digestField },
      summary: 'Get the file of an importance matrix',
      async handle(request, reply) {
        const digest = parseDigest((request.params as { readonly digest: string }).digest);
        const file = await findImatrix(store, digest);
        const release = store.holdBlobs([digest]);
        reply.raw.once('close', release);
        return reply
          .type('application/octet-stream')
          .header('content-length', file.size)
          .send(createReadStream(file.path, { end: file.size - 1, highWaterMark: readAhead }));
      },
    },
  ];
}

/** Refuses other blobs: models have access rules of their own. */
async function findImatrix(store: Store, digest: Digest): Promise<{ readonly path: string; readonly size: number }> {
  const missing = new HearthError('blob_not_found', `there is no importance matrix "${digest}"`);
  if (!(await store.hasBlob(digest))) throw missing;
  const path = await store.locateBlob(digest);
  const file = await readGgufFile(path, { maxArray: 0 }).catch(() => undefined);
  if (file === undefined || !isImatrix(file)) throw missing;
  return { path, size: (await stat(path)).size };
}

async function* computeFor(
  { model, ...job }: ImatrixJob,
  { store, computeImatrix }: ImatrixParts,
  signal: AbortSignal,
): AsyncGenerator<ImatrixResponseBody> {
  const requested = parseRequestedModel(model);
  const { files, digests } = await openModel(store, requested);
  if (files.kind !== 'local')
    throw new HearthError('unsupported', `the server has no weights of '${requested.text}' that llama.cpp runs`);
  const release = store.holdBlobs([...digests]);
  const progress = createAsyncQueue<ImatrixResponseBody>();
  const onProgress = (completed: number, total: number): void =>
    progress.push({ status: 'computing', completed, total });
  try {
    const result = makeImatrix(store, (target) =>
      computeImatrix({ ...job, model: files.weightsPath, target, onProgress, signal }),
    ).finally(() => progress.end());
    result.catch(() => {});
    yield* progress;
    const { chunks, ...made } = await result;
    yield { status: 'success', model: requested.text, ...made, chunks, tokens: chunks * tokensPerChunk };
  } finally {
    release();
  }
}

async function makeImatrix(store: Store, compute: (target: string) => ReturnType<ComputeImatrix>) {
  let computed: Awaited<ReturnType<ComputeImatrix>> | undefined;
  const { digest, size } = await store.makeBlob(async (target) => {
    computed = await compute(target);
  }, mediaTypes.model);
  return { digest, size, ...(computed as Awaited<ReturnType<ComputeImatrix>>) };
}
