// Bounds the work that one schema may cause. The cost of comparing branches, trying enum values and following patterns
// does not show in the size of the schema, so all of it is charged to one budget, and to the effort of the thread.

import { type Effort, unlimitedEffort } from '../../../base/effort.ts';
import { grammarLimits } from './limits.ts';
import { schemaError } from './schema-error.ts';

export function createWorkBudget(effort: Effort = unlimitedEffort) {
  let spent = 0;
  return {
    spend(steps: number, path: string): void {
      effort.spend(steps);
      spent += steps;
      if (spent > grammarLimits.steps) throw schemaError(path, 'is too complex to convert');
    },
  };
}

export type WorkBudget = ReturnType<typeof createWorkBudget>;
