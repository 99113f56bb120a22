// GET /api/version

import type { Route } from '../../../http/route.ts';
import { ollamaDialect } from '../dialect.ts';
import { apiVersion, VersionResponseBody } from './version-schema.ts';

export function versionRoute(packageVersion: string): Route {
  return {
    dialect: ollamaDialect,
    method: 'GET',
    path: '/api/version',
    summary: 'Show the version',
    response: VersionResponseBody,
    polled: true,
    handle: (): VersionResponseBody => ({ version: apiVersion, hearth: packageVersion }),
  };
}
