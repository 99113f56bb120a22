// Uploads of blobs: begun with POST, in parts with PATCH, ended with PUT; or all at once; or not at all, when the blob is
// here already and the client only wants it in another repository.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Digest } from '../../kernel/digest.ts';
import type { Store } from '../../store/store.ts';
import type { Access } from '../access.ts';
import { refusal } from '../refusal.ts';
import { parseWireDigest } from '../repository.ts';
import { formatUploadRange, type Upload, type UploadPart } from '../upload.ts';
import type { Uploads } from '../uploads.ts';
import { type AddRoutes, bodyOf, openRepository, paramOf, queryOf, repositoryPath } from './paths.ts';

export interface UploadRoutesOptions {
  readonly store: Store;
  readonly access: Access;
  readonly uploads: Uploads;
}

export function uploadRoutes({ store, access, uploads }: UploadRoutesOptions): AddRoutes {
  const find = async (request: FastifyRequest): Promise<Upload> => {
    const { name } = await openRepository(access, request, 'push');
    return uploads.find(name, paramOf(request, 'id'));
  };

  const begin = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { name } = await openRepository(access, request, 'push');
    const mount = queryOf(request, 'mount');
    if (mount !== undefined) {
      const digest = parseWireDigest(mount);
      if (await store.hasBlob(digest)) return created(reply, name, digest);
    }
    const digest = queryOf(request, 'digest');
    if (digest === undefined) return accepted(reply, uploads.begin(name), 202);
    return finish(request, reply, {
      upload: uploads.begin(name),
      digest,
      part: { source: bodyOf(request) },
      once: true,
    });
  };

  return (app) => {
    for (const url of [`${repositoryPath}/blobs/uploads/`, `${repositoryPath}/blobs/uploads`]) app.post(url, begin);
    const url = `${repositoryPath}/blobs/uploads/:id`;
    app.get(url, async (request, reply) => accepted(reply, await find(request), 204));
    app.delete(url, async (request, reply) => {
      const upload = await find(request);
      await upload.cancel('the client gave the upload up');
      return reply.code(204).send();
    });
    app.patch(url, async (request, reply) => {
      const upload = await find(request);
      await withPlace(upload, () => upload.append(partOf(request)));
      return accepted(reply, upload, 202);
    });
    app.put(url, async (request, reply) => {
      const upload = await find(request);
      const digest = queryOf(request, 'digest');
      if (digest === undefined) throw refusal('DIGEST_INVALID', 'the end of an upload says its digest');
      return finish(request, reply, { upload, digest, part: partOf(request) });
    });
  };
}

interface Finish {
  readonly upload: Upload;
  readonly digest: string;
  readonly part: UploadPart;
  /** The client has no address to come back to. */
  readonly once?: boolean;
}

async function finish(request: FastifyRequest, reply: FastifyReply, how: Finish): Promise<FastifyReply> {
  const { upload, part, once = false } = how;
  try {
    const digest = parseWireDigest(how.digest);
    // When all is here it has to get to the disk, and meanwhile the connection is silent.
    request.raw.once('end', () => request.raw.socket.setTimeout(0));
    await withPlace(upload, () => upload.finish(digest, part));
    return created(reply, upload.repository, digest);
  } finally {
    if (once) await upload.cancel('the upload is over');
  }
}

/** Content-Range here is `<first>-<last>`, and both ends count. */
function partOf(request: FastifyRequest): UploadPart {
  const source = bodyOf(request);
  const text = request.headers['content-range'];
  if (text === undefined) return { source };
  const [, first, last] = /^(?:bytes[ =])?(\d{1,15})-(\d{1,15})(?:\/(?:\d+|\*))?$/.exec(text.trim()) ?? [];
  const [from, end] = [Number(first), Number(last)];
  if (first === undefined || end < from) throw refusal('BLOB_UPLOAD_INVALID', 'Content-Range is <first>-<last>');
  const length = request.headers['content-length'];
  if (length !== undefined && Number(length) !== end - from + 1)
    throw refusal('BLOB_UPLOAD_INVALID', 'Content-Range and Content-Length do not agree');
  return { source, from };
}

/** A client that lost count is told where to go on. */
async function withPlace<T>(upload: Upload, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { headers } = (error as Partial<ReturnType<typeof refusal>>).refusal ?? {};
    if (headers !== undefined && 'range' in headers) Object.assign(headers, { location: placeOf(upload) });
    throw error;
  }
}

function placeOf({ repository, id }: Upload): string {
  return `/v2/${repository}/blobs/uploads/${id}`;
}

function accepted(reply: FastifyReply, upload: Upload, status: 202 | 204): FastifyReply {
  const range = formatUploadRange(upload.offset());
  return reply
    .code(status)
    .headers({ location: placeOf(upload), range, 'docker-upload-uuid': upload.id })
    .send();
}

function created(reply: FastifyReply, repository: string, digest: Digest): FastifyReply {
  return reply
    .code(201)
    .headers({ location: `/v2/${repository}/blobs/${digest}`, 'docker-content-digest': digest })
    .send();
}
