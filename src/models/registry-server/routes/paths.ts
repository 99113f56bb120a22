// The parts of a path that every route shares.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Access } from '../auth/access.ts';
import { repositoryScope } from '../auth/scope.ts';
import { formatRepositoryName, parseRepositoryName, type RepositoryName } from '../repository-name.ts';

export const repositoryPath = '/v2/:namespace/:model';

/** The repository that the path names, once the request may do this there. */
export async function openRepository(
  access: Access,
  request: FastifyRequest,
  kind: 'pull' | 'push',
): Promise<RepositoryName & { readonly name: string; readonly pusher: string }> {
  const repository = parseRepositoryName(request.params as RepositoryName);
  const name = formatRepositoryName(repository);
  const pusher = await access.check(request, { kind, scope: repositoryScope(name, kind) });
  return { ...repository, name, pusher };
}

export function paramOf(request: FastifyRequest, name: string): string {
  return (request.params as Readonly<Record<string, string>>)[name] ?? '';
}

/** Undefined when it is not there; the first one when it is there more than once. */
export function queryOf(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Readonly<Record<string, string | string[]>>)[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The bytes of a body, as they come; whatever goes wrong in the middle, the socket stays open for the answer. */
export function bodyOf(request: FastifyRequest): AsyncIterable<Uint8Array> {
  return request.raw.iterator({ destroyOnReturn: false });
}

export type AddRoutes = (app: FastifyInstance) => void;
