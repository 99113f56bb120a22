// Chooses tokens in memory of its own, so that several threads can do it at the same time.

import type { Clock } from '../../../../../base/time/clock.ts';
import type { LlamaApi } from '../../../llama/bindings/llama-api.ts';
import { createLogitViews } from '../../../llama/logit-views.ts';
import { createCandidates } from '../candidates.ts';
import { createTimeCheck } from '../choice-time.ts';
import type { ChoiceMaker } from './choice-board.ts';

export type ChoiceMakerApi = Pick<LlamaApi, 'samplerApply' | 'samplerAccept'>;

export function createChoiceMaker(api: ChoiceMakerApi, vocabularySize: number, clock: Clock): ChoiceMaker {
  const logitsAt = createLogitViews(vocabularySize);
  const candidates = createCandidates(api, vocabularySize);
  return {
    choose(address, k, chain) {
      candidates.fillTop(logitsAt(address), k);
      candidates.apply(chain);
      return candidates.selected();
    },
    test(mask, token) {
      const { isOver } = createTimeCheck(clock);
      candidates.fillOne(token);
      candidates.apply(mask);
      const isAllowed = candidates.firstPossible();
      if (isAllowed) api.samplerAccept(mask, token);
      if (isOver()) return 'late';
      return isAllowed ? 'accepted' : 'rejected';
    },
  };
}
