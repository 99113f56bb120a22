// Sends errors in the dialect of their route.

import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { HearthError, systemReasonOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { type DialectTable, findDialect, isServerError } from './dialect.ts';
import { fromFastifyError } from './from-fastify-error.ts';
import { toErrorBodyFor } from './message-request.ts';

type SendError = (error: FastifyError | HearthError, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

export function createErrorSender(dialects: DialectTable, logger: Logger): SendError {
  return (thrown, request, reply) => {
    const { url, routeOptions, scope, report } = request;
    const error = thrown instanceof HearthError ? thrown : fromFastifyError(thrown);
    const dialect = routeOptions?.config?.route?.dialect ?? findDialect(dialects, url);
    // Absent for an error before routing.
    report?.fail(error.code, error.message);
    // The rest of the body may never come.
    if (error.code === 'request_timeout') void reply.header('connection', 'close');
    // The end of every request is logged, also of those that were refused.
    if (isServerError(dialect, error.code))
      logger.error(error.message, { code: error.code, path: routeOptions?.url ?? url, system: systemReasonOf(error) });
    if (error.code === 'internal') logger.error(String(thrown.stack));
    if (error.code === 'unauthorized') void reply.header('www-authenticate', 'Bearer realm="hearth"');
    if ('retryAfterSeconds' in error) void reply.header('retry-after', String(error.retryAfterSeconds));
    return reply.code(dialect.statusOf(error.code)).send(toErrorBodyFor(request, dialect, error, scope?.id));
  };
}
