// A limit on work that blocks the thread it runs on. The work counts its steps and ends above the limit. It can then be
// repeated in another thread, where it blocks no request.

export interface Effort {
  /** Throws EffortExceeded above the limit. */
  spend(steps: number): void;
}

export class EffortExceeded extends Error {
  constructor() {
    super('the work takes too many steps for this thread');
    this.name = 'EffortExceeded';
  }
}

export const unlimitedEffort: Effort = { spend() {} };

export function createEffort(maxSteps: number): Effort {
  let left = maxSteps;
  return {
    spend(steps) {
      left -= steps;
      if (left < 0) throw new EffortExceeded();
    },
  };
}
