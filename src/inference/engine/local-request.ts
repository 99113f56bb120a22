// Requests that a process on this machine can serve: a runner, or the program of another engine.

import { HearthError } from '../../base/errors.ts';
import type { HostedModelSource, LocalModelSource } from '../model/model-source.ts';
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

export interface HostedRequest extends AcquireRequest {
  readonly source: HostedModelSource;
}

/** A request for a model that takes memory of this machine. */
export type ResidentRequest = LocalRequest | HostedRequest;

export function isHosted(request: AcquireRequest): request is HostedRequest {
  return request.source.kind === 'hosted';
}
