// The engine for requests with keys: quotas of tokens, the share of the slots, and separate prefix caches.

import { currentRequest } from '../../base/request/request-scope.ts';
import type { Engine } from '../../inference/engine/ports.ts';
import type { QuotaControl } from '../server-feature.ts';
import type { ServiceObserver } from '../services/generation/observer.ts';

/** `quotas` undefined: the server has no keys. */
export function createKeyedEngine(engine: Engine, quotas: Pick<QuotaControl, 'checkTokens'> | undefined): Engine {
  return {
    ...engine,
    async acquire(request, signal) {
      const key = currentRequest()?.key;
      if (key === undefined) return engine.acquire(request, signal);
      quotas?.checkTokens();
      return engine.acquire({ ...request, partition: key.group, weight: key.weight }, signal);
    },
  };
}

/** Counts the tokens of requests with keys. */
export function countTokensOfKeys(
  observer: ServiceObserver,
  quotas: Pick<QuotaControl, 'addTokens'> | undefined,
): ServiceObserver {
  const count = (tokens: number): void => quotas?.addTokens(tokens);
  return {
    waited: (model, seconds) => observer.waited(model, seconds),
    answered(answer) {
      observer.answered(answer);
      count(answer.promptTokens + answer.generatedTokens);
    },
    embedded(embedding) {
      observer.embedded(embedding);
      count(embedding.tokens);
    },
    ranked(ranking) {
      observer.ranked(ranking);
      count(ranking.tokens);
    },
  };
}
