// Importance matrices for the quantizer: computed from a text, in a process of its own.

import { toServerFeature } from '../../server/server-feature.ts';
import { createComputeImatrix } from './compute-imatrix.ts';
import { imatrixRoutes } from './imatrix-routes.ts';

const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;

export const imatrixServer = toServerFeature({
  operations: {
    'POST /api/imatrix': {
      description:
        'Computes an importance matrix of a model over a text: the sums of the squares of what is multiplied with each column of its matrices, as `llama-imatrix` computes them. The quantizer rounds columns that matter more with more care. The result stays in the store until the server starts again; `POST /api/create` takes its digest, and `GET /api/imatrix/{digest}` sends the file.',
      example: { body: { model: 'ember', text: 'A text of some pages, like those that the model is used for.' } },
    },
    'GET /api/imatrix/:digest': {
      description: 'Sends the file of an importance matrix, in the GGUF format of llama.cpp.',
      example: { path: { digest } },
    },
  },
  audit: { 'POST /api/imatrix': { action: 'compute importance matrix', subject: ({ body }) => [body['model']] } },
  open: ({ store, logger, childSettings, scriptOf }) => {
    const script = scriptOf('features/imatrix/imatrix-program');
    return { store, logger, computeImatrix: createComputeImatrix({ script, childSettings }) };
  },
  routes: (opened) => imatrixRoutes(opened),
});
