// The audit log: one line for each request that manages the server, also for refused ones. It says who did what.

import type { FastifyRequest } from 'fastify';
import type { Logger } from '../../base/logger.ts';
import { peerAddressOf } from './access/caller-identity.ts';

/** What a request asked for. All of it comes from the client, and may be absent or of another type. */
interface AuditedRequest {
  readonly body: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, unknown>>;
}

export interface AuditRow {
  readonly action: string;
  /** What the action is about, such as the name of a model; several values are joined. */
  readonly subject: (request: AuditedRequest) => readonly unknown[];
}

/** By method and path of the route, as in `POST /api/create`. */
export type AuditTable = Readonly<Record<string, AuditRow>>;

/** Called at the end of a request. */
export type AuditRequest = (request: FastifyRequest, outcome: string) => void;

const maxSubjectCharacters = 300;

export function createAudit(table: AuditTable, logger: Logger): AuditRequest {
  return ({ routeOptions, body, params, ip, scope, report }, outcome) => {
    const { route } = routeOptions.config;
    const row = route && table[`${route.method} ${route.path}`];
    if (row === undefined) return;
    const asked = row.subject({ body: toRecord(body), params: toRecord(params) });
    logger.info('audit', {
      action: row.action,
      subject: report.subject ?? asked.filter(isText).join(' ').slice(0, maxSubjectCharacters),
      key: scope.key?.name,
      address: peerAddressOf({ ip }),
      outcome,
    });
  };
}

/** The body of an upload is a stream, and that of a request that was refused early is absent. */
function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
