// Requests to remotes in the trace of the current request. The remote gets a part of the trace as its parent.

import { currentRequest } from '../../base/request/request-scope.ts';
import type { TraceContext } from '../../base/request/trace-context.ts';
import type { Endpoint, Outcome } from './endpoint.ts';

interface RemoteTrace {
  /** What the remote gets. */
  readonly trace: TraceContext;
  /** The request has ended. Called once. */
  end(outcome: Outcome): void;
}

/** Undefined if the trace is not exported. */
export function traceRemote(
  remote: string,
  { url, kind, servedModel }: Endpoint,
  model: string,
): RemoteTrace | undefined {
  const trace = currentRequest()?.trace;
  const work = trace?.work;
  if (trace === undefined || work === undefined) return undefined;
  const from = work.now();
  const spanId = work.newSpanId();
  return {
    trace: { ...trace, spanId },
    end(outcome) {
      const failure = outcome === 'ok' ? undefined : outcome;
      work.add({
        type: 'remote',
        spanId,
        from,
        until: work.now(),
        failure,
        ...{ remote, url, kind, model: servedModel || model },
      });
    },
  };
}
