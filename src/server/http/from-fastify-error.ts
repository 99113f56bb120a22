// Maps the errors of Fastify to codes of the catalogue.

import type { FastifyError } from 'fastify';
import { HearthError, toHearthError } from '../../base/errors.ts';

export function fromFastifyError(error: FastifyError): HearthError {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new HearthError('body_too_large', 'request body too large');
  if (error.statusCode !== undefined && error.statusCode < 500) return new HearthError('bad_request', error.message);
  return toHearthError(error);
}
