// What the residency machine knows of a request.

import type { ResidentRequest } from '../local-request.ts';
import type { CallerState } from './residency-state.ts';

/** What decides which loaded models a request can use. */
export type LoadIdentity = Pick<CallerState, 'fingerprint' | 'needs'>;

/** Every difference counts. */
export function identifyLiterally({ options }: ResidentRequest): LoadIdentity {
  return { fingerprint: JSON.stringify(options) };
}

export function toCaller({ name, source, keepAlive, client = '', background, requestId, readmitted }: ResidentRequest) {
  return { key: source.key, name, client, background, keepAlive, requestId, readmitted };
}
