// GET, HEAD and PUT of manifests by tag; GET and HEAD also by digest.

import type { FastifyRequest } from 'fastify';
import { digestOf, hexOf } from '../../../base/digest.ts';
import type { Logger } from '../../../base/logger.ts';
import { digestsOf } from '../../../models/store/manifests/manifest.ts';
import type { Store } from '../../../models/store/store.ts';
import type { RegistryAccess } from '../auth/access.ts';
import { checkManifest, manifestTypeOf } from '../check-manifest.ts';
import { registryServerLimits } from '../limits.ts';
import { protocolError } from '../protocol-error.ts';
import { isDigestReference, parseWireDigest, type RepositoryName, toModelName } from '../repository-name.ts';
import { type AddRoutes, bodyOf, openRepository, paramOf, repositoryPath } from './paths.ts';

interface ManifestRoutesOptions {
  readonly store: Store;
  readonly access: RegistryAccess;
  readonly logger: Logger;
}

export function manifestRoutes({ store, access, logger }: ManifestRoutesOptions): AddRoutes {
  const url = `${repositoryPath}/manifests/:reference`;
  return (app) => {
    app.route({
      method: ['GET', 'HEAD'],
      url,
      async handler(request, reply) {
        const repository = await openRepository(access, request, 'pull');
        const bytes = await findManifest(store, repository, paramOf(request, 'reference'));
        const digest = digestOf(bytes);
        void reply.headers({ 'docker-content-digest': digest, etag: `"${digest}"` }).type(manifestTypeOf(bytes));
        if (request.headers['if-none-match'] === `"${digest}"`) return reply.code(304).send();
        return reply.send(bytes);
      },
    });

    app.put(url, async (request, reply) => {
      const { pusher, name: repositoryName, ...repository } = await openRepository(access, request, 'push');
      const tag = paramOf(request, 'reference');
      if (isDigestReference(tag)) throw protocolError('UNSUPPORTED', 'manifests can be pushed only by tag');
      const name = toModelName(repository, tag);
      const bytes = await readManifest(request);
      await checkManifest(store, bytes, request.headers['content-type']);
      const replaced = await store.find(name).catch(() => undefined);
      const { digest } = await store.putManifest(name, bytes);
      // The push has succeeded; if this fails, garbage collection removes the blobs later.
      if (replaced !== undefined) await store.removeUnusedBlobs(digestsOf(replaced.manifest)).catch(() => []);
      logger.info('model pushed', { model: `${repositoryName}:${tag}`, digest, by: pusher });
      return reply
        .code(201)
        .headers({
          location: access.locationOf(request, `/v2/${repositoryName}/manifests/${tag}`),
          'docker-content-digest': `sha256:${digest}`,
        })
        .send();
    });
  };
}

async function findManifest(store: Store, repository: RepositoryName, reference: string): Promise<Buffer> {
  const name = isDigestReference(reference)
    ? await findByDigest(store, repository, reference)
    : toModelName(repository, reference);
  const bytes = name && (await store.readManifest(name));
  const model = name && (await store.find(name));
  if (bytes === undefined || model === undefined)
    throw protocolError('MANIFEST_UNKNOWN', `${repository.namespace}/${repository.model}:${reference} not found`);
  // The client fetches the blobs next: this reserves them for an hour, even if the tag moves in the meantime.
  for (const digest of digestsOf(model.manifest)) await store.hasBlob(digest);
  return bytes;
}

async function findByDigest(store: Store, { namespace, model }: RepositoryName, reference: string) {
  const hex = hexOf(parseWireDigest(reference));
  const { host } = toModelName({ namespace, model }, 'latest');
  const found = (await store.list()).find(
    ({ name, digest }) =>
      digest === hex &&
      name.host === host &&
      `${name.namespace}/${name.model}`.toLowerCase() === `${namespace}/${model}`.toLowerCase(),
  );
  return found?.name;
}

async function readManifest(request: FastifyRequest): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bodyOf(request)) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length > registryServerLimits.manifestBytes)
      throw protocolError('SIZE_INVALID', `a manifest may have at most ${registryServerLimits.manifestBytes} bytes`);
  }
  return Buffer.concat(chunks);
}
