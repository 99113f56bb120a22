// The objects of a response over a WebSocket: each is one message, and so is an error.

import type { FastifyRequest } from 'fastify';
import type { HearthError } from '../../../base/errors.ts';
import type { ApiDialect } from '../dialect.ts';
import { channelOf } from '../message-request.ts';

export function framingOf(request: Pick<FastifyRequest, 'raw'>, dialect: ApiDialect): ApiDialect['framing'] {
  if (channelOf(request) === undefined) return dialect.framing;
  return {
    contentType: 'application/x-ndjson',
    frame: (object) => `${JSON.stringify(object)}\n`,
    frameError: (error, requestId) => `${JSON.stringify(toErrorMessage(dialect, error, requestId))}\n`,
    end: '',
  };
}

export function toErrorBodyFor(
  request: Pick<FastifyRequest, 'raw'>,
  dialect: ApiDialect,
  error: HearthError,
  requestId: string | undefined,
): object {
  const toBody = channelOf(request) === undefined ? dialect.toErrorBody : toErrorMessage.bind(undefined, dialect);
  return toBody(error, requestId);
}

/** There is no status line, so the status is part of the message. */
export function toErrorMessage(dialect: ApiDialect, error: HearthError, requestId?: string): object {
  return { type: 'error', status: dialect.statusOf(error.code), ...dialect.toErrorBody(error, requestId) };
}
