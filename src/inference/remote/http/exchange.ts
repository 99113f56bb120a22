// One request and its response. It uses the dispatcher of undici directly: a stream of Node would cost processor time for
// each chunk, and a signal of its own for each request.

import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Clock } from '../../../base/time/clock.ts';
import { createGuard } from './guard.ts';
import { createResponseBody, type RemoteResponseBody } from './response-body.ts';

interface ExchangeOptions {
  readonly request: Dispatcher.DispatchOptions;
  readonly clock: Clock;
  /** Milliseconds without any data, before the response and during it. */
  readonly timeout: number;
  readonly signal: AbortSignal;
  /** Whether the server stops, which closes all connections. */
  readonly isClosing: () => boolean;
  /** The name of the remote, for messages. */
  readonly remote: string;
}

interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: RemoteResponseBody;
}

// What the dispatcher gets as the reason. Callers get the one of the guard.
const leftError = new Error('the response is not read any more');

export function exchange(dispatcher: Dispatcher, options: ExchangeOptions): Promise<RawResponse> {
  const { request, clock, timeout: timeoutMs, signal, isClosing, remote } = options;
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let isAborted = false;
    const abort = (): void => {
      isAborted = true;
      controller?.abort(leftError);
    };
    const body = createResponseBody({
      clock,
      pause: () => controller?.pause(),
      resume: () => controller?.resume(),
      abort,
      onEnd: () => guard.end(),
    });
    /** Before the response and during it. */
    const fail = (error: Error): void => {
      const explained = guard.explain(remote, error);
      guard.end();
      reject(explained);
      body.fail(explained);
    };
    const guard = createGuard({
      clock,
      timeoutMs,
      signal,
      isClosing,
      abort() {
        abort();
        // A request that waits for its connection is not aborted before it has one.
        queueMicrotask(() => fail(leftError));
      },
    });
    if (isAborted) return;
    dispatcher.dispatch(request, {
      onRequestStart(started) {
        controller = started;
        if (isAborted) started.abort(leftError);
      },
      onResponseStart(_, status, headers) {
        guard.touch();
        // Others only announce a response.
        if (status >= 200) resolve({ status, headers, body });
      },
      onResponseData(_, chunk) {
        guard.touch();
        body.add(chunk);
      },
      onResponseEnd() {
        guard.end();
        body.end();
      },
      onResponseError: (_, error) => fail(error),
    });
  });
}
