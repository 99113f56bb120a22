// A request in the terms of the residency machine.

import { HearthError } from '../../../base/errors.ts';
import type { LocalRequest } from '../local-request.ts';
import type { CallerState } from './residency-state.ts';

/** What decides which loaded models a request can use. */
export type LoadIdentity = Pick<CallerState, 'fingerprint' | 'needs'>;

/** Every difference counts. */
export function identifyLiterally({ options }: LocalRequest): LoadIdentity {
  return { fingerprint: JSON.stringify(options) };
}

export function toCaller({ name, source, keepAlive, client = '', requestId, readmitted }: LocalRequest) {
  return {
    key: source.key,
    name,
    client,
    ...(keepAlive === undefined ? {} : { keepAlive }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(readmitted ? { readmitted } : {}),
  };
}

export function cancelled(): HearthError {
  return new HearthError('cancelled', 'request canceled');
}
