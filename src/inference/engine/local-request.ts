// Requests that a runner on this machine can serve.

import { HearthError } from '../../base/errors.ts';
import type { LocalModelSource } from '../model/model-source.ts';
import type { AcquireRequest } from './ports.ts';

export interface LocalRequest extends AcquireRequest {
  readonly source: LocalModelSource;
}

/** What the plan of a load depends on. */
export type PlannedRequest = Pick<LocalRequest, 'source' | 'options' | 'shape' | 'draft' | 'contextSource'>;

export function requireLocal({ source, ...request }: AcquireRequest): LocalRequest {
  if (source.kind === 'local') return { ...request, source };
  throw new HearthError('unsupported', `model "${request.name}" is on another server; remote models are not supported`);
}
