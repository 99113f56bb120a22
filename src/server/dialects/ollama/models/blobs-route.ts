// HEAD and POST /api/blobs/:digest

import { type Digest, parseDigest } from '../../../../base/digest.ts';
import { requestSignal } from '../../../http/requests.ts';
import type { Route } from '../../../http/route.ts';
import type { ReceivedBlob } from '../../../services/management/blobs.ts';

const path = '/api/blobs/:digest';
const digestIn = (params: unknown): Digest => parseDigest((params as { readonly digest: string }).digest);

export function blobHeadRoute(checkBlob: (digest: Digest) => Promise<void>): Route {
  return {
    method: 'HEAD',
    path,
    summary: 'Whether a file is here',
    async handle(request, reply) {
      await checkBlob(digestIn(request.params));
      return reply.code(200).send();
    },
  };
}

export type ReceiveBlob = (
  digest: Digest,
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
) => Promise<ReceivedBlob>;

export function blobPostRoute(receiveBlob: ReceiveBlob): Route {
  return {
    method: 'POST',
    path,
    readsBody: true,
    summary: 'Upload a file that a model is made from',
    async handle(request, reply) {
      const { created, path: file } = await receiveBlob(
        digestIn(request.params),
        // Whatever goes wrong in the middle, the socket stays open for the answer.
        request.raw.iterator({ destroyOnReturn: false }),
        requestSignal(),
      );
      // A client that is still sending what is here already does not listen before it is done.
      request.raw.resume();
      return reply
        .code(created ? 201 : 200)
        .type('text/plain; charset=utf-8')
        .send(file);
    },
  };
}
