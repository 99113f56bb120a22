// Descriptions and examples of the operations that run a model, in the dialect of Ollama.

import type { OperationTable } from '../../http/openapi/operation.ts';
import { rerankExample } from './rerank-operations.ts';

const model = 'ember';
const question = 'Why is the sky blue?';

export const generationOperations: OperationTable = {
  'POST /api/generate': {
    description:
      'Continues a prompt. The answer is a stream of objects, one per line; the last one has done: true and the statistics. Without a prompt, the model is loaded, or unloaded if keep_alive is 0.',
    example: { body: { model, prompt: question } },
  },
  'POST /api/chat': {
    description:
      'Answers a conversation. Messages may contain images and results of tools. With tools, the answer may be tool calls; with format, it is JSON that matches the schema. The conversation is sent with every request; its part that was evaluated before is reused.',
    example: { body: { model, messages: [{ role: 'user', content: question }] } },
  },
  'POST /api/embed': {
    description: 'Computes a vector of length 1 for each text. Texts with similar meanings have similar vectors.',
    example: { body: { model, input: ['The sky is blue.', 'The sea is blue.'] } },
  },
  'POST /api/embeddings': {
    description: 'Computes the vector of one text, not scaled. New programs should use /api/embed.',
    example: { body: { model, prompt: 'The sky is blue.' } },
  },
  'POST /api/rerank': {
    description:
      'Orders documents by how well they answer a query, the best first. The method "cosine" works with every model; without it, the model must be a reranker.',
    example: rerankExample,
  },
  'POST /api/score': {
    description:
      'Tells how likely each of several continuations of one text is. No template is applied, and the context is evaluated once.',
    example: { body: { model: 'ember', context: 'The capital of France is', continuations: [' Paris', ' Rome'] } },
  },
  'POST /api/compare': {
    description:
      'Compares a model with another one of the same vocabulary, such as the one that it was quantized from, on a text: the perplexities of both, the divergence of their distributions, and how often they have the same likeliest token. The figures are those of `llama-perplexity --kl-divergence`.',
    example: { body: { model: 'ember', against: 'ember' } },
  },
  'POST /api/tokenize': {
    description: 'Converts a text to the tokens of a model. Not part of the Ollama API.',
    example: { body: { model, text: question } },
  },
  'POST /api/detokenize': {
    description: 'Converts tokens of a model to text. Not part of the Ollama API.',
    example: { body: { model, tokens: [72, 105] } },
  },
};
