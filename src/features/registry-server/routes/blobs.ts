// GET and HEAD of blobs, with ranges. Blobs belong to no repository: a client that may pull one model may pull all.

import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Digest } from '../../../base/digest.ts';
import type { Store } from '../../../models/store/store.ts';
import type { RegistryAccess } from '../auth/access.ts';
import { protocolError } from '../protocol-error.ts';
import { type InclusiveRange, parseRangeHeader } from '../range-header.ts';
import { parseWireDigest } from '../repository-name.ts';
import { type AddRoutes, openRepository, paramOf, repositoryPath } from './paths.ts';

const readAhead = 2 ** 20;

export function blobRoutes({ store, access }: { readonly store: Store; readonly access: RegistryAccess }): AddRoutes {
  return (app) => {
    app.route({
      method: ['GET', 'HEAD'],
      url: `${repositoryPath}/blobs/:digest`,
      async handler(request, reply) {
        await openRepository(access, request, 'pull');
        const digest = parseWireDigest(paramOf(request, 'digest'));
        // Protects the blob until the response is complete.
        const release = store.holdBlobs([digest]);
        reply.raw.once('close', release);
        const size = await sizeOf(store, digest);
        // Ollama's client reads Location from every response and downloads from there without a token.
        if (access.pull === 'open') void reply.header('location', access.locationOf(request, request.url));
        return sendBlob({ request, reply, path: store.blobPath(digest), digest, size });
      },
    });
  };
}

async function sizeOf(store: Store, digest: Digest): Promise<number> {
  if (!(await store.hasBlob(digest))) throw protocolError('BLOB_UNKNOWN', `blob ${digest} not found`);
  return (await lstat(store.blobPath(digest))).size;
}

interface BlobReply {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly path: string;
  readonly digest: Digest;
  readonly size: number;
}

function sendBlob({ request, reply, path, digest, size }: BlobReply): FastifyReply {
  const etag = `"${digest}"`;
  void reply.headers({ etag, 'docker-content-digest': digest, 'accept-ranges': 'bytes' });
  void reply.type('application/octet-stream');
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  const range = rangeOf(request, etag, size);
  if (range === 'unsatisfiable')
    throw protocolError('RANGE_INVALID', `the blob has ${size} bytes`, { 'content-range': `bytes */${size}` });
  const { first, last } = range === 'full' ? { first: 0, last: size - 1 } : range;
  if (range !== 'full') void reply.code(206).header('content-range', `bytes ${first}-${last}/${size}`);
  void reply.header('content-length', last - first + 1);
  if (request.method === 'HEAD' || size === 0) return reply.send();
  return reply.send(createReadStream(path, { start: first, end: last, highWaterMark: readAhead }));
}

/** Honors If-Range: a range of different content would corrupt the client's file. */
function rangeOf(
  { headers, method }: FastifyRequest,
  etag: string,
  size: number,
): InclusiveRange | 'full' | 'unsatisfiable' {
  const condition = headers['if-range'];
  if (method === 'HEAD' || (condition !== undefined && condition !== etag)) return 'full';
  return parseRangeHeader(headers.range, size);
}
