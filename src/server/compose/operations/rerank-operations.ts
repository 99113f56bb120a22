// Descriptions and examples of the paths for reranking. They differ in the shape of their errors.

import type { OperationExample, OperationTable } from '../../http/openapi/operation.ts';

// The model is not trained to rank documents.
export const rerankExample: OperationExample = {
  body: {
    model: 'ember',
    query: 'How do I bake bread?',
    documents: ['Knead the dough and let it rise.', 'The train leaves at nine.'],
    method: 'cosine',
  },
};
const what =
  'Orders documents by how well they answer a query, the best first. The method "cosine" works with every model; without it, the model must be a reranker.';

const pairsExample: OperationExample = {
  body: { model: 'ember', text_1: 'bread', text_2: ['dough', 'train'], method: 'cosine' },
};
const pairs =
  'Scores how well texts fit together, in the order of the request, as vLLM does. The method "cosine" works with every model; without it, the model must be a reranker.';

const classesExample: OperationExample = { body: { model: 'my-classifier', input: ['I love this.', 'This is bad.'] } };
const classes =
  'The likeliest class of each text and the probabilities of all, as in vLLM. The model must be a classifier: a BERT, DistilBERT or RoBERTa for sequence classification.';

export const rerankOperations: OperationTable = {
  'POST /v1/rerank': { description: `${what} Jina and vLLM have this path.`, example: rerankExample },
  'POST /v1/reranking': { description: `${what} llama-server has this path.`, example: rerankExample },
  'POST /rerank': { description: `${what} TEI and llama-server have this path.`, example: rerankExample },
  'POST /reranking': { description: `${what} llama-server has this path.`, example: rerankExample },
  'POST /v1/score': { description: pairs, example: pairsExample },
  'POST /score': { description: pairs, example: pairsExample },
  'POST /v1/classify': { description: classes, example: classesExample },
  'POST /classify': { description: classes, example: classesExample },
  'POST /v2/rerank': { description: `${what} Cohere has this path, and its errors.`, example: rerankExample },
};
