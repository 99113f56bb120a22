// The measured speed of prompt evaluation with this model on this machine.

import { nanosecondsPerSecond } from '../../../../base/time/duration.ts';

// Small passes are slow for their size, and do not predict the speed of a long prompt.
const minTokens = 32;
const weightOfNew = 0.3;

export class PromptRate {
  /** Before the first measurement: fast enough for full batches. */
  perSecond = 1000;

  observe(tokens: number, nanoseconds: number): void {
    if (tokens < minTokens || nanoseconds <= 0) return;
    const measured = (tokens / nanoseconds) * nanosecondsPerSecond;
    this.perSecond += weightOfNew * (measured - this.perSecond);
  }
}
