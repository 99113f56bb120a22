// Descriptions and examples of the paths for reranking. They differ in the shape of their errors.

import type { OperationExample, OperationTable } from '../../http/openapi/operation.ts';

const example: OperationExample = {
  body: {
    model: 'ember',
    query: 'Where do foxes live?',
    documents: ['Foxes live in burrows.', 'Rivers flow.'],
    method: 'cosine',
  },
};
const what =
  'Orders documents by how well they answer a query, the best first. The method "cosine" works with every model; without it, the model must be a reranker.';

export const rerankOperations: OperationTable = {
  'POST /v1/rerank': { description: `${what} Jina and vLLM have this path.`, example },
  'POST /v1/reranking': { description: `${what} llama-server has this path.`, example },
  'POST /rerank': { description: `${what} TEI and llama-server have this path.`, example },
  'POST /reranking': { description: `${what} llama-server has this path.`, example },
  'POST /v2/rerank': { description: `${what} Cohere has this path, and its errors.`, example },
};
