// POST /api/embed and POST /api/embeddings

import { HearthError } from '../../../../base/errors.ts';
import { formatVector } from '../../../http/float32-json.ts';
import type { Route } from '../../../http/route.ts';
import { eachOf, sendList } from '../../../http/streaming/send-list.ts';
import { type Embed, normalize, truncateDimensions } from '../../../services/generation/embed.ts';
import { toModelInput } from '../../shared/model-input.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';
import { EmbeddingsRequestBody, EmbeddingsResponseBody, EmbedRequestBody, EmbedResponseBody } from './embed-schema.ts';

const json = 'application/json; charset=utf-8';

export function embedRoute(embed: Embed): Route {
  return {
    dialect: ollamaDialect,
    method: 'POST',
    scope: 'infer',
    path: '/api/embed',
    summary: 'Compute embeddings',
    metered: true,
    body: EmbedRequestBody,
    response: EmbedResponseBody,
    async handle(request, reply) {
      const body = request.body as EmbedRequestBody;
      const texts = readInput(body.input);
      const { vectors, ...counts } = await embed(
        {
          ...toModelInput(body, { emptyIsUnknown: true }),
          texts,
          truncate: body.truncate ?? true,
          maxTokens: readContextLength(body.options),
          report: request.report,
        },
        request.scope.signal,
      );
      const { model, ...statistics } = {
        model: body.model ?? '',
        total_duration: counts.totalNanoseconds,
        load_duration: counts.loadNanoseconds,
        prompt_eval_count: counts.promptTokens,
      } satisfies Omit<EmbedResponseBody, 'embeddings'>;
      // Not JSON.stringify: the vectors have their own number format.
      return sendList(reply, {
        head: `${JSON.stringify({ model }).slice(0, -1)},"embeddings":[`,
        elements: eachOf(vectors, (vector) => formatVector(truncateDimensions(normalize(vector), body.dimensions))),
        tail: `],${JSON.stringify(statistics).slice(1)}`,
      });
    },
  };
}

/** The older form: one text and its vector. */
export function embeddingsRoute(embed: Embed): Route {
  return {
    dialect: ollamaDialect,
    method: 'POST',
    scope: 'infer',
    path: '/api/embeddings',
    summary: 'Compute the embedding of one text (deprecated)',
    metered: true,
    body: EmbeddingsRequestBody,
    response: EmbeddingsResponseBody,
    async handle(request, reply) {
      const body = request.body as EmbeddingsRequestBody;
      const { prompt = '' } = body;
      const { vectors } = await embed(
        { ...toModelInput(body), texts: prompt === '' ? [] : [prompt], truncate: true, report: request.report },
        request.scope.signal,
      );
      const [vector = new Float32Array()] = vectors;
      return reply.type(json).send(`{"embedding":${formatVector(normalize(vector))}}`);
    },
  };
}

/** The limit of texts, also where it is shorter than any context, and where the loaded context is longer. */
function readContextLength(options: EmbedRequestBody['options']): number | undefined {
  const length = options?.['num_ctx'];
  return typeof length === 'number' ? Math.max(0, Math.trunc(length)) : undefined;
}

function readInput(input: unknown): string[] {
  if (input === undefined || input === '') return [];
  if (typeof input === 'string') return [input];
  if (Array.isArray(input) && input.every((text) => typeof text === 'string')) return input;
  throw new HearthError('bad_request', 'invalid input type');
}
