// The HTTP server with the limits and access checks of the settings.

import { hostname, networkInterfaces } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import type { FastifyInstance } from 'fastify';
import type { Logger } from '../../base/logger.ts';
import { connectionsWithin, readOpenFileLimit } from '../../base/process/limit-connections.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { TlsListener } from '../../base/tls/tls-listener.ts';
import type { Settings } from '../../settings/setting-table.ts';
import type { AccessControl } from '../http/access/access-control.ts';
import { createHostCheck } from '../http/access/host-header.ts';
import { createOriginCheck } from '../http/access/origin.ts';
import type { LoadFigures } from '../http/load-report.ts';
import { budgetForBody } from '../http/receiving/body-budget.ts';
import type { RequestTable } from '../http/requests.ts';
import type { Route } from '../http/route.ts';
import { createHttpServer } from '../http/server.ts';
import { dialectTable } from './dialect-table.ts';

interface HttpParts {
  readonly settings: Settings;
  readonly routes: readonly Route[];
  readonly requests: RequestTable;
  readonly access: AccessControl | undefined;
  readonly whenReady: () => Promise<void>;
  readonly readLoad: () => LoadFigures;
  /** Absent: the server has no TLS. */
  readonly tls?: TlsListener;
  readonly clock: Clock;
  readonly logger: Logger;
}

// A photograph must fit, however small the heap is.
const leastBufferedBytes = 64 * 2 ** 20;

export function createHttp({ settings, ...parts }: HttpParts): FastifyInstance {
  const hosts = createHostCheck({
    hostname: hostname(),
    addresses: ownAddresses,
    listensOn: 'socket' in settings.host ? 'localhost' : settings.host.host,
    allowed: settings.allowedHosts,
  });
  return createHttpServer({
    ...parts,
    dialects: dialectTable,
    maxBodyBytes: settings.maxBody,
    maxBufferedBytes: settings.maxBufferedBodies || defaultBufferedBytes(settings.maxBody),
    maxConnections: connectionsWithin(readOpenFileLimit()),
    receiveTimeout: settings.receiveTimeout || Number.POSITIVE_INFINITY,
    stallTimeout: settings.stallTimeout || Number.POSITIVE_INFINITY,
    isAllowedOrigin: createOriginCheck({ allowed: settings.origins, isVerifiedHost: hosts.isVerified }),
    isAllowedHost: hosts.isAllowed,
  });
}

/** A prompt is copied several times on its way to the runner, and the heap must have room for all copies. */
function defaultBufferedBytes(maxBody: number): number {
  const least = budgetForBody(Math.min(maxBody, leastBufferedBytes));
  return Math.max(Math.floor(getHeapStatistics().heap_size_limit / 8), least);
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((entries) => (entries ?? []).map(({ address }) => address));
}
