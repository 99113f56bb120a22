// The engine for requests with keys: quotas of tokens, the share of the slots, and separate prefix caches.

import { currentRequest } from '../../base/request/request-scope.ts';
import type { Engine } from '../../inference/engine/ports.ts';
import type { KeyStore } from '../access/key-store.ts';
import type { Quotas } from '../access/quotas.ts';
import type { ServiceObserver } from '../services/generation/observer.ts';

export interface KeyedEngineParts {
  readonly keys: Pick<KeyStore, 'find'>;
  readonly quotas: Quotas;
}

export function createKeyedEngine(engine: Engine, { keys, quotas }: KeyedEngineParts): Engine {
  return {
    ...engine,
    async acquire(request, signal) {
      const key = currentRequest()?.key;
      if (key === undefined) return engine.acquire(request, signal);
      const record = keys.find(key.id);
      if (record !== undefined) quotas.checkTokens(record);
      return engine.acquire({ ...request, partition: key.group, weight: key.weight }, signal);
    },
  };
}

/** Counts the tokens of requests with keys. */
export function countTokensOfKeys(observer: ServiceObserver, quotas: Pick<Quotas, 'addTokens'>): ServiceObserver {
  const count = (tokens: number): void => {
    const key = currentRequest()?.key;
    if (key !== undefined) quotas.addTokens(key.id, tokens);
  };
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
