// The ping that clients start with, the tags of a repository, and the catalog. Listings are paginated.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { defaultHost, sameModelName } from '../../../models/name.ts';
import type { Store } from '../../../models/store/store.ts';
import type { RegistryAccess } from '../auth/access.ts';
import { catalogScope } from '../auth/scope.ts';
import { registryServerLimits } from '../limits.ts';
import { protocolError } from '../protocol-error.ts';
import { type AddRoutes, openRepository, queryOf, repositoryPath } from './paths.ts';

export function listingRoutes({
  store,
  access,
}: {
  readonly store: Store;
  readonly access: RegistryAccess;
}): AddRoutes {
  const names = async () => (await store.list()).map(({ name }) => name).filter(({ host }) => host === defaultHost);
  return (app) => {
    app.get('/', async (_request, reply) => reply.type('text/plain; charset=utf-8').send('Hearth registry is running'));
    const ping = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      await access.check(request, { kind: 'pull' });
      return reply.send({});
    };
    for (const url of ['/v2/', '/v2']) app.get(url, ping);
    app.get('/v2/_catalog', async (request, reply) => {
      await access.check(request, { kind: 'pull', scope: catalogScope });
      const repositories = [...new Set((await names()).map(({ namespace, model }) => `${namespace}/${model}`))];
      return reply.send({ repositories: page(request, reply, repositories) });
    });
    app.get(`${repositoryPath}/tags/list`, async (request, reply) => {
      const { namespace, model, name } = await openRepository(access, request, 'pull');
      const tags = (await names())
        .filter((each) => sameModelName(each, { ...each, namespace, model }))
        .map(({ tag }) => tag);
      if (tags.length === 0) throw protocolError('NAME_UNKNOWN', `repository ${name} not found`);
      return reply.send({ name, tags: page(request, reply, tags) });
    });
  };
}

/** The first `n` entries after `last`, with a Link header if there are more. */
function page(request: FastifyRequest, reply: FastifyReply, all: readonly string[]): string[] {
  const requested = queryOf(request, 'n') ?? String(registryServerLimits.pageSize);
  if (!/^[1-9]\d{0,8}$/.test(requested))
    throw protocolError('PAGINATION_NUMBER_INVALID', 'n must be a positive integer');
  const count = Math.min(Number(requested), registryServerLimits.pageSize);
  const last = queryOf(request, 'last') ?? '';
  const rest = [...all].sort().filter((entry) => entry > last);
  const shown = rest.slice(0, count);
  if (rest.length > count) {
    const path = request.url.split('?', 1)[0];
    const query = new URLSearchParams({ last: shown.at(-1) ?? '', n: String(count) });
    void reply.header('link', `<${path}?${query}>; rel="next"`);
  }
  return shown;
}
