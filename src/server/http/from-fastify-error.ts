// Maps the errors of Fastify and of its validator to codes of the catalogue.

import type { FastifyError } from 'fastify';
import { HearthError, toHearthError } from '../../base/errors.ts';

export function fromFastifyError(error: FastifyError): HearthError {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new HearthError('body_too_large', 'request body too large');
  const [problem] = error.validation ?? [];
  if (problem)
    return new HearthError('bad_request', `${fieldOf(problem.instancePath)} ${problem.message ?? 'is not valid'}`);
  if (error.statusCode !== undefined && error.statusCode < 500) return new HearthError('bad_request', error.message);
  return toHearthError(error);
}

// The validator writes context[3] as "/context/3".
function fieldOf(instancePath: string): string {
  const [field = 'the request', ...rest] = instancePath.split('/').slice(1);
  return `${field}${rest.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`)).join('')}`;
}
