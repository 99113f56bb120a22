// Results of `hearth eval`, which the server keeps for the web page.

import { join } from 'node:path';
import { stateFolder } from '../../base/config/state-folder.ts';
import { toServerFeature } from '../../server/server-feature.ts';
import { EvalStore } from './eval-store.ts';
import { evalsRoutes } from './evals-routes.ts';

const categories = [{ category: 'facts', items: 50, correct: 34, duration: 67_600_000_000, tokens: 1350 }];

export const evalServer = toServerFeature({
  operations: {
    'GET /api/evals': {
      description:
        'Lists the results of `hearth eval` that were stored, with confidence intervals, and comparisons of models on a text.',
      example: {},
    },
    'POST /api/evals': {
      description: 'Stores results, as `hearth eval` does at its end. The last 100 are kept.',
      example: { body: { results: [{ model: 'ember', categories }] } },
    },
  },
  audit: { 'POST /api/evals': { action: 'store evaluation', subject: () => [] } },
  open: () => ({ store: new EvalStore(join(stateFolder(), 'evals.json')) }),
  routes: ({ store }, { clock }) => evalsRoutes(store, clock),
});
