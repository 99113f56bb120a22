// The measured speed of prompt evaluation with this model on this machine.

import { nanosecondsPerSecond } from '../../../../base/time/duration.ts';

export interface PromptRate {
  readonly perSecond: number;
  observe(tokens: number, nanoseconds: number): void;
}

// Before the first measurement: fast enough for full batches.
const initialPerSecond = 1000;
// Small passes are slow for their size, and do not predict the speed of a long prompt.
const minTokens = 32;
const weightOfNew = 0.3;

export function createPromptRate(): PromptRate {
  let perSecond = initialPerSecond;
  return {
    get perSecond() {
      return perSecond;
    },
    observe(tokens, nanoseconds) {
      if (tokens < minTokens || nanoseconds <= 0) return;
      const measured = (tokens / nanoseconds) * nanosecondsPerSecond;
      perSecond += weightOfNew * (measured - perSecond);
    },
  };
}
