// Helpers for request paths, queries and bodies.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RegistryAccess } from '../auth/access.ts';
import { repositoryScope } from '../auth/scope.ts';
import { formatRepositoryName, parseRepositoryName, type RepositoryName } from '../repository-name.ts';

export const repositoryPath = '/v2/:namespace/:model';

/** The repository in the path, after checking access to it. */
export async function openRepository(
  access: RegistryAccess,
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

/** The first value, or undefined. */
export function queryOf(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Readonly<Record<string, string | string[]>>)[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The body as a stream. The socket stays open for the response even if reading stops early. */
export function bodyOf(request: FastifyRequest): AsyncIterable<Uint8Array> {
  return request.raw.iterator({ destroyOnReturn: false });
}

export type AddRoutes = (app: FastifyInstance) => void;
