// Asks every endpoint of a remote what it is and how long it takes to answer.

import { messageOf } from '../../base/errors.ts';
import type { Clock } from '../../base/time/clock.ts';
import { nanosecondsPerMillisecond } from '../../base/time/duration.ts';
import type { Endpoint } from './endpoint.ts';
import { RemoteError } from './http/remote-error.ts';
import type { EndpointFacts } from './probe/endpoint-facts.ts';
import type { Prober } from './probe/prober.ts';
import type { RemoteRecord } from './remotes/remote-record.ts';

export interface CheckedEndpoint {
  readonly endpoint: Endpoint;
  /** Undefined if the endpoint failed. */
  readonly facts: EndpointFacts | undefined;
  readonly failure: string | undefined;
  readonly milliseconds: number;
}

export function checkRemoteEndpoints(
  { name: remote, endpoints }: RemoteRecord,
  { prober, clock }: { readonly prober: Prober; readonly clock: Clock },
  signal: AbortSignal,
): Promise<CheckedEndpoint[]> {
  const check = async (endpoint: Endpoint): Promise<CheckedEndpoint> => {
    const named = { ...endpoint, remote };
    prober.forget(named);
    const started = clock.monotonic();
    const milliseconds = (): number => Math.round((clock.monotonic() - started) / nanosecondsPerMillisecond);
    return prober.facts(named, signal).then(
      (facts) => ({ endpoint, facts, failure: undefined, milliseconds: milliseconds() }),
      (error: unknown) => ({ endpoint, facts: undefined, failure: reasonOf(error), milliseconds: milliseconds() }),
    );
  };
  return Promise.all(endpoints.map(check));
}

/** Callers do not learn which file is wrong, but administrators do. */
function reasonOf(error: unknown): string {
  const isHidden = error instanceof RemoteError && error.code === 'remote_denied' && error.cause !== undefined;
  return messageOf(isHidden ? error.cause : error);
}
