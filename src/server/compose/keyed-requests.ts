// Requests with keys: quotas of tokens, the share of the slots, and separate prefix caches.

import { currentRequest } from '../../base/request/request-scope.ts';
import type { Caller } from '../../inference/local/prompt-model.ts';
import type { QuotaControl } from '../server-feature.ts';
import type { ServiceObserver } from '../services/generation/observer.ts';

/** Describes the caller of the current request. Throws if the quota of its key is used up. */
export function createAdmit(quotas: Pick<QuotaControl, 'checkTokens'> | undefined): () => Caller {
  return () => {
    const request = currentRequest();
    if (request === undefined) return {};
    const { id: requestId, client, key } = request;
    if (key === undefined) return { requestId, client };
    quotas?.checkTokens(key);
    return { requestId, client, partition: key.group, weight: key.weight };
  };
}

/** Counts the tokens of requests with keys. */
export function countTokensOfKeys(
  observer: ServiceObserver,
  quotas: Pick<QuotaControl, 'addTokens'> | undefined,
): ServiceObserver {
  const count = (tokens: number): void => {
    const key = currentRequest()?.key;
    if (key !== undefined) quotas?.addTokens(key, tokens);
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
