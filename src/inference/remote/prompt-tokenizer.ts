// The tokens of a prompt before an endpoint is chosen: endpoints with cache events say which tokens they have. An endpoint
// is asked for them, for a limited time. Without an answer, the choice goes by text.

import type { Clock } from '../../base/time/clock.ts';
import { nanosecondsPerMillisecond } from '../../base/time/duration.ts';
import type { Router } from './endpoint.ts';
import { tokenizePause, tokenizeTimeout } from './events/limits.ts';
import type { RemoteHttp } from './http/remote-http.ts';
import type { Prober } from './probe/prober.ts';
import type { RoutedPrompt, SentRequest } from './remote-target.ts';
import { readTokenized } from './wire/tokens.ts';

export interface PromptTokenizer {
  /** Undefined if they are not needed, or not known in time. Never rejects. */
  tokensOf(prompt: RoutedPrompt, signal: AbortSignal): Promise<readonly number[] | undefined>;
}

export const noTokenizer: PromptTokenizer = { tokensOf: async () => undefined };

interface TokenizerOptions {
  readonly remote: string;
  /** The name of the model if an endpoint has no other. */
  readonly model: string;
  readonly router: Pick<Router, 'tokenizer'>;
  readonly http: Pick<RemoteHttp, 'call'>;
  readonly prober: Pick<Prober, 'facts'>;
  readonly clock: Clock;
}

/** Requests of all models share what is known about failures. */
const pausedUntil = new WeakMap<object, number>();

export function createPromptTokenizer(options: TokenizerOptions): PromptTokenizer {
  const { remote, model, router, http, prober, clock } = options;
  const now = (): number => clock.monotonic() / nanosecondsPerMillisecond;
  return {
    async tokensOf({ toTokens }, requestSignal) {
      if (toTokens === undefined || now() < (pausedUntil.get(router) ?? 0)) return undefined;
      const endpoint = router.tokenizer();
      if (endpoint === undefined) return undefined;
      const controller = new AbortController();
      const timer = clock.after(tokenizeTimeout, () => controller.abort());
      const signal = AbortSignal.any([requestSignal, controller.signal]);
      try {
        const named = { ...endpoint, remote };
        const facts = await prober.facts(named, signal);
        const request = toTokens({ endpoint: named, facts, model: endpoint.servedModel || model });
        if (!isRequest(request)) return request;
        return readTokenized(
          await http.call(named, { method: 'POST', ...request, timeout: tokenizeTimeout, signal }),
          remote,
        );
      } catch {
        if (!requestSignal.aborted) pausedUntil.set(router, now() + tokenizePause);
        return undefined;
      } finally {
        timer.cancel();
      }
    },
  };
}

function isRequest(value: SentRequest | readonly number[] | undefined): value is SentRequest {
  return value !== undefined && 'path' in value;
}
