// HEAD and POST /api/blobs/:digest

import { Readable } from 'node:stream';
import { type Digest, parseDigest } from '../../../../base/digest.ts';
import type { Route } from '../../../http/route.ts';
import type { ReceivedBlob } from '../../../services/management/blobs.ts';
import { digestField } from '../../shared/common-fields-schema.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';

const path = '/api/blobs/:digest';
const params = { digest: digestField };
const digestIn = (params: unknown): Digest => parseDigest((params as { readonly digest: string }).digest);

export function blobHeadRoute(checkBlob: (digest: Digest) => Promise<void>): Route {
  return {
    dialect: ollamaDialect,
    method: 'HEAD',
    scope: 'manage',
    path,
    params,
    summary: 'Check whether a blob exists',
    async handle(request, reply) {
      await checkBlob(digestIn(request.params));
      return reply.code(200).send();
    },
  };
}

// A request without a body has none to read.
function receivedChunks(body: unknown): AsyncIterable<Uint8Array> {
  return (body as AsyncIterable<Uint8Array> | undefined) ?? Readable.from([]);
}

type ReceiveBlob = (digest: Digest, source: AsyncIterable<Uint8Array>, signal: AbortSignal) => Promise<ReceivedBlob>;

export function blobPostRoute(receiveBlob: ReceiveBlob): Route {
  return {
    dialect: ollamaDialect,
    method: 'POST',
    scope: 'manage',
    path,
    params,
    summary: 'Upload a blob to create a model from',
    readsBody: true,
    async handle(request, reply) {
      const { created, path: file } = await receiveBlob(
        digestIn(request.params),
        receivedChunks(request.body),
        request.scope.signal,
      );
      // The blob may exist already while the client still sends it. Clients read the response after they have sent all.
      request.raw.resume();
      return reply
        .code(created ? 201 : 200)
        .type('text/plain; charset=utf-8')
        .send(file);
    },
  };
}
