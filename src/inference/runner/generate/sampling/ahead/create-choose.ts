// Chooses a token of a row in memory of its own, so that several threads can do it at the same time.

import type { LlamaApi } from '../../../llama/bindings/llama-api.ts';
import { createLogitViews } from '../../../llama/logit-views.ts';
import { createCandidates } from '../candidates.ts';
import type { Choose } from './choice-board.ts';

export function createChoose(api: Pick<LlamaApi, 'samplerApply'>, vocabularySize: number): Choose {
  const logitsAt = createLogitViews(vocabularySize);
  const candidates = createCandidates(api, vocabularySize);
  return (address, k, chain) => {
    candidates.fillTop(logitsAt(address), k);
    candidates.apply(chain);
    return candidates.selected();
  };
}
