// Blob uploads: POST starts one, PATCH appends, PUT finishes. A single POST can upload the entire blob, or mount an
// existing one.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Digest } from '../../../base/digest.ts';
import type { Store } from '../../../models/store/store.ts';
import type { RegistryAccess } from '../auth/access.ts';
import { protocolError } from '../protocol-error.ts';
import { parseWireDigest } from '../repository-name.ts';
import { formatUploadRange, type Upload, type UploadPart } from '../uploads/upload.ts';
import type { Uploads } from '../uploads/uploads.ts';
import { type AddRoutes, bodyOf, openRepository, paramOf, queryOf, repositoryPath } from './paths.ts';

interface UploadRoutesOptions {
  readonly store: Store;
  readonly access: RegistryAccess;
  readonly uploads: Uploads;
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export function uploadRoutes({ store, access, uploads }: UploadRoutesOptions): AddRoutes {
  const find = async (request: FastifyRequest): Promise<Upload> => {
    const { name } = await openRepository(access, request, 'push');
    return uploads.find(name, paramOf(request, 'id'));
  };
  const uploadLocation = (request: FastifyRequest, { repository, id }: Upload): string =>
    access.locationOf(request, `/v2/${repository}/blobs/uploads/${id}`);
  const accepted = ({ request, reply }: Exchange, status: 202 | 204, upload: Upload): FastifyReply =>
    reply
      .code(status)
      .header('location', uploadLocation(request, upload))
      .headers({ range: formatUploadRange(upload.offset()), 'docker-upload-uuid': upload.id })
      .send();
  const created = ({ request, reply }: Exchange, repository: string, digest: Digest): FastifyReply =>
    reply
      .code(201)
      .header('location', access.locationOf(request, `/v2/${repository}/blobs/${digest}`))
      .header('docker-content-digest', digest)
      .send();

  /** Adds the upload's location to a range error, so that the client can resume. */
  const withUploadLocation = async <T>(request: FastifyRequest, upload: Upload, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      const { headers } = (error as Partial<ReturnType<typeof protocolError>>).protocol ?? {};
      if (headers !== undefined && 'range' in headers)
        Object.assign(headers, { location: uploadLocation(request, upload) });
      throw error;
    }
  };
  const finish = async (exchange: Exchange, upload: Upload, part: UploadPart): Promise<FastifyReply> => {
    const { request } = exchange;
    const digest = parseWireDigest(queryOf(request, 'digest') ?? '');
    // The connection is idle while the received bytes are flushed to disk.
    request.raw.once('end', () => request.raw.socket.setTimeout(0));
    await withUploadLocation(request, upload, () => upload.finish(digest, part));
    return created(exchange, upload.repository, digest);
  };

  const begin = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { name } = await openRepository(access, request, 'push');
    const mount = queryOf(request, 'mount');
    if (mount !== undefined) {
      const digest = parseWireDigest(mount);
      if (await store.hasBlob(digest)) return created({ request, reply }, name, digest);
    }
    const upload = uploads.begin(name);
    if (queryOf(request, 'digest') === undefined) return accepted({ request, reply }, 202, upload);
    try {
      return await finish({ request, reply }, upload, { source: bodyOf(request) });
    } finally {
      // The client does not know the upload's location, so it cannot resume.
      await upload.cancel('the upload has ended');
    }
  };

  return (app) => {
    for (const url of [`${repositoryPath}/blobs/uploads/`, `${repositoryPath}/blobs/uploads`]) app.post(url, begin);
    const url = `${repositoryPath}/blobs/uploads/:id`;
    app.get(url, async (request, reply) => accepted({ request, reply }, 204, await find(request)));
    app.delete(url, async (request, reply) => {
      const upload = await find(request);
      await upload.cancel('the client canceled the upload');
      return reply.code(204).send();
    });
    app.patch(url, async (request, reply) => {
      const upload = await find(request);
      await withUploadLocation(request, upload, () => upload.append(partOf(request)));
      return accepted({ request, reply }, 202, upload);
    });
    app.put(url, async (request, reply) => finish({ request, reply }, await find(request), partOf(request)));
  };
}

/** In this protocol Content-Range is `<first>-<last>`, both inclusive. */
function partOf(request: FastifyRequest): UploadPart {
  const source = bodyOf(request);
  const text = request.headers['content-range'];
  if (text === undefined) return { source };
  const [, first, last] = /^(?:bytes[ =])?(\d{1,15})-(\d{1,15})(?:\/(?:\d+|\*))?$/.exec(text.trim()) ?? [];
  const [from, end] = [Number(first), Number(last)];
  if (first === undefined || end < from)
    throw protocolError('BLOB_UPLOAD_INVALID', 'Content-Range must be <first>-<last>');
  const length = request.headers['content-length'];
  if (length !== undefined && Number(length) !== end - from + 1)
    throw protocolError('BLOB_UPLOAD_INVALID', 'Content-Range and Content-Length do not agree');
  return { source, from };
}
