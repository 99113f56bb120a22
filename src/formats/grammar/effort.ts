// Some questions about a schema take time that its size does not show. Together they may take so many steps and no more.

import { limits } from './limits.ts';
import { schemaError } from './schema-error.ts';

export interface Effort {
  spend(steps: number, path: string): void;
}

export function createEffort(): Effort {
  let spent = 0;
  return {
    spend(steps, path) {
      spent += steps;
      if (spent > limits.effort) throw schemaError(path, 'takes too long to work out');
    },
  };
}
