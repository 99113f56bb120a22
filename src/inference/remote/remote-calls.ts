// Carries out one request at the endpoints of a remote: chooses one, and another one if it fails before it has answered
// anything. After the first part of an answer nothing is repeated.

import { HearthError } from '../../base/errors.ts';
import { openLater, pipe, startingWith } from '../../base/pipe.ts';
import type { Endpoint, Outcome, Router } from './endpoint.ts';
import { RemoteError } from './http/remote-error.ts';
import type { RemoteHttp } from './http/remote-http.ts';
import type { Prober } from './probe/prober.ts';
import { noTokenizer, type PromptTokenizer } from './prompt-tokenizer.ts';
import type { RoutedPrompt, SentRequest, Target } from './remote-target.ts';
import type { SleepControl } from './sleep-control.ts';
import { traceRemote } from './trace-remote.ts';
import type { UnansweredLimit } from './unanswered-limit.ts';

/** What an endpoint answers, part by part; a promise if the request must be sent first. */
type Parts<Part> = AsyncIterable<Part> | Promise<AsyncIterable<Part>>;

export interface RemoteCalls {
  /** `work` runs again at another endpoint as long as it has yielded nothing. */
  attempt<Part>(prompt: RoutedPrompt, work: (target: Target) => Parts<Part>, signal: AbortSignal): AsyncGenerator<Part>;
  /** The same for work with one result. */
  ask<Result>(work: (target: Target) => Promise<Result>, signal: AbortSignal): Promise<Result>;
  send(target: Target, request: SentRequest, signal: AbortSignal): ReturnType<RemoteHttp['send']>;
  call(target: Target, request: SentRequest, signal: AbortSignal): Promise<unknown>;
}

interface BegunAnswer<Part> {
  readonly endpoint: Endpoint;
  /** Ends the use of the endpoint. Called once. */
  readonly release: (outcome: Outcome) => void;
  readonly parts: AsyncIterator<Part>;
  readonly first: IteratorResult<Part>;
}

interface RemoteCallsOptions {
  readonly remote: string;
  /** The name that the reference to the model has. */
  readonly model: string;
  readonly router: Pick<Router, 'choose'>;
  readonly http: RemoteHttp;
  readonly prober: Prober;
  readonly sleepControl: SleepControl;
  readonly unanswered: Pick<UnansweredLimit, 'begin'>;
  /** Absent: no endpoint has events that say what it has. */
  readonly tokenizer?: PromptTokenizer | undefined;
  /** Milliseconds without any data. */
  readonly timeout: number;
  /**
   * Called if no endpoint has sent a part of an answer because of a failure. Resolves when the request may be sent again;
   * otherwise rejects with the error for the caller. Absent: it is not sent again.
   */
  readonly recover?: (error: unknown, signal: AbortSignal) => Promise<void>;
}

export function createRemoteCalls(options: RemoteCallsOptions): RemoteCalls {
  const { remote, model, router, http, prober, sleepControl, unanswered, timeout, recover } = options;

  const resolve = async (endpoint: Endpoint, signal: AbortSignal): Promise<Target> => {
    const named = { ...endpoint, remote };
    const facts = await prober.facts(named, signal);
    await sleepControl.wake(named, facts, signal);
    return { endpoint: named, facts, model: endpoint.servedModel || model };
  };

  const tokenizer = options.tokenizer ?? noTokenizer;

  /** The endpoint may have been started again as something else, or another program may have put it to sleep. */
  const noteFailure = (endpoint: Endpoint, error: unknown): Outcome => {
    const outcome = outcomeOf(error);
    if (outcome !== 'failed') return outcome;
    const named = { ...endpoint, remote };
    prober.forget(named);
    sleepControl.forget(named);
    return outcome;
  };

  /** Asks one endpoint after the other for the first part of an answer. */
  async function begin<Part>(
    prompt: RoutedPrompt,
    work: (target: Target) => Parts<Part>,
    signal: AbortSignal,
  ): Promise<BegunAnswer<Part>> {
    const failures = createFailures(remote);
    const tokens = await tokenizer.tokensOf(prompt, signal);
    for (;;) {
      const choice = router.choose(prompt.prefix, failures.excluded, tokens) ?? failures.giveUp();
      const { endpoint, begun } = choice;
      const traced = traceRemote(remote, endpoint, model);
      const release = (outcome: Outcome): void => {
        choice.release(outcome);
        traced?.end(outcome);
      };
      let waiting: Awaited<ReturnType<UnansweredLimit['begin']>> | undefined;
      try {
        const target = { ...(await resolve(endpoint, signal)), trace: traced?.trace };
        waiting = await unanswered.begin(`${target.model} ${endpoint.url}`, remote, signal);
        const parts = (await work(target))[Symbol.asyncIterator]();
        const first = await parts.next();
        waiting.end(true);
        if (!first.done) begun();
        return { endpoint, release, parts, first };
      } catch (error) {
        const outcome = noteFailure(endpoint, error);
        waiting?.end(outcome === 'refused');
        release(outcome);
        failures.note(endpoint, error);
      }
    }
  }

  function attempt<Part>(
    prompt: RoutedPrompt,
    work: (target: Target) => Parts<Part>,
    signal: AbortSignal,
  ): AsyncGenerator<Part> {
    return openLater(async () => {
      const { endpoint, release, parts, first } = await repeat(() => begin(prompt, work, signal), recover, signal);
      // Unless the answer ends by itself, the caller has left the loop.
      let outcome: Outcome = 'canceled';
      let isPassing = false;
      return pipe(startingWith(first, parts), {
        push(part: Part, pass: (part: Part) => void) {
          isPassing = true;
          pass(part);
          isPassing = false;
        },
        end() {
          outcome = 'ok';
        },
        close(error) {
          // If what gets the parts fails, the endpoint has not.
          if (error !== undefined && !isPassing && outcome !== 'ok') outcome = noteFailure(endpoint, error);
          release(outcome);
        },
      });
    });
  }

  return {
    attempt,
    async ask(work, signal) {
      const single = async function* (target: Target) {
        yield await work(target);
      };
      for await (const result of attempt({ prefix: '' }, single, signal)) return result;
      throw noEndpoint(remote);
    },
    send: ({ endpoint, trace }, request, signal) =>
      http.send(endpoint, { method: 'POST', ...request, timeout, signal, trace }),
    call: ({ endpoint, trace }, request, signal) =>
      http.call(endpoint, { method: 'POST', ...request, timeout, signal, trace }),
  };
}

/** Repeats what has failed as long as `recover` allows it. */
async function repeat<Result>(
  work: () => Promise<Result>,
  recover: RemoteCallsOptions['recover'],
  signal: AbortSignal,
): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (recover === undefined || outcomeOf(error) !== 'failed') throw error;
      await recover(error, signal);
    }
  }
}

/** The endpoints that a request has tried. */
function createFailures(remote: string) {
  const excluded = new Set<string>();
  const repeated = new Set<string>();
  let last: unknown;
  return {
    excluded,
    giveUp(): never {
      throw last ?? noEndpoint(remote);
    },
    /** Throws the error if other endpoints would not help. */
    note({ id }: Endpoint, error: unknown): void {
      const outcome = outcomeOf(error);
      if (outcome !== 'failed' && outcome !== 'busy') throw error;
      last = error;
      // A server may close an idle connection just when it is used again.
      const isRepeatable = error instanceof RemoteError && error.isReset && !repeated.has(id);
      (isRepeatable ? repeated : excluded).add(id);
    },
  };
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof RemoteError) return error.outcome;
  if (!(error instanceof HearthError)) return 'failed';
  if (error.code === 'cancelled') return 'canceled';
  return error.code === 'remote_failed' ? 'failed' : 'refused';
}

function noEndpoint(remote: string): HearthError {
  return new HearthError('remote_failed', `the remote "${remote}" has no endpoint that can be used now`);
}
