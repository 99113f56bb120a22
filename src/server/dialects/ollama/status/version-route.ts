// GET /api/version

import type { Route } from '../../../http/route.ts';
import { ollamaDialect } from '../dialect.ts';
import { VersionResponseBody } from './version-schema.ts';

export interface Versions {
  /** Of Ollama's API. */
  readonly api: string;
  readonly hearth: string;
}

export function versionRoute({ api, hearth }: Versions): Route {
  return {
    dialect: ollamaDialect,
    method: 'GET',
    scope: 'open',
    path: '/api/version',
    summary: 'Show the version',
    response: VersionResponseBody,
    polled: true,
    beforeReady: true,
    handle: (): VersionResponseBody => ({ version: api, hearth }),
  };
}
