// How fast this machine evaluates prompts with this model, measured as it goes.

import { nanosecondsPerSecond } from '../../../base/time/duration.ts';

export interface PromptRate {
  readonly perSecond: number;
  observe(tokens: number, nanoseconds: number): void;
}

// Until something is known: fast enough for whole batches.
const assumedPerSecond = 1000;
// Passes of a few tokens are slow for their size and say little about a long prompt.
const telling = 32;
const weightOfNew = 0.3;

export function createPromptRate(): PromptRate {
  let perSecond = assumedPerSecond;
  return {
    get perSecond() {
      return perSecond;
    },
    observe(tokens, nanoseconds) {
      if (tokens < telling || nanoseconds <= 0) return;
      const measured = (tokens / nanoseconds) * nanosecondsPerSecond;
      perSecond += weightOfNew * (measured - perSecond);
    },
  };
}
