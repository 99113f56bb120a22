// GET /api/version

import type { Route } from '../../../http/route.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';
import { VersionResponseBody } from './version-schema.ts';

interface Versions {
  /** The version of Ollama's API. */
  readonly api: string;
  readonly hearth: string;
}

interface VersionRouteOptions extends Versions {
  /** The number of requests that the request log keeps; 0: it is off. */
  readonly requestLog: number;
}

export function versionRoute({ api, hearth, requestLog }: VersionRouteOptions): Route {
  return {
    dialect: ollamaDialect,
    method: 'GET',
    scope: 'open',
    path: '/api/version',
    summary: 'Show the version',
    response: VersionResponseBody,
    polled: true,
    beforeReady: true,
    // Users must be able to see that their prompts are kept.
    handle: (): VersionResponseBody => ({
      version: api,
      hearth,
      request_log: requestLog > 0 ? requestLog : undefined,
    }),
  };
}
