// POST /api/embed and POST /api/embeddings

import { HearthError } from '../../../../base/errors.ts';
import { parseKeepAlive } from '../../../../models/keep-alive.ts';
import { parseOptions } from '../../../../models/options.ts';
import { parseRequestedModel } from '../../../../models/requested-model.ts';
import { formatVector } from '../../../http/float32-json.ts';
import { requestSignal } from '../../../http/requests.ts';
import type { Route } from '../../../http/route.ts';
import { type Embed, normalize, truncateDimensions } from '../../../services/generation/embed.ts';
import { EmbedBody, EmbeddingsBody } from '../responses-schema.ts';
import { EmbeddingsRequest, EmbedRequest } from './embed-schema.ts';

const json = 'application/json; charset=utf-8';

export function embedRoute(embed: Embed): Route {
  return {
    method: 'POST',
    path: '/api/embed',
    body: EmbedRequest,
    summary: 'Vectors of texts',
    response: EmbedBody,
    async handle(request, reply) {
      const body = request.body as EmbedRequest;
      const texts = readInput(body.input);
      const { vectors, ...counts } = await embed(
        { texts, truncate: body.truncate ?? true, ...commonOf(body) },
        requestSignal(),
      );
      const shown = vectors.map((vector) => formatVector(truncateDimensions(normalize(vector), body.dimensions)));
      const statistics = {
        total_duration: counts.totalNanoseconds,
        load_duration: counts.loadNanoseconds,
        prompt_eval_count: counts.promptTokens,
      };
      // Written by hand: the numbers have their own format.
      const head = JSON.stringify({ model: body.model ?? '' }).slice(0, -1);
      const tail = JSON.stringify(statistics).slice(1);
      return reply.type(json).send(`${head},"embeddings":[${shown.join(',')}],${tail}`);
    },
  };
}

/** The older form: one text, the vector as the model gives it, and nothing else. */
export function embeddingsRoute(embed: Embed): Route {
  return {
    method: 'POST',
    path: '/api/embeddings',
    body: EmbeddingsRequest,
    summary: 'The vector of one text, in the older form',
    response: EmbeddingsBody,
    async handle(request, reply) {
      const body = request.body as EmbeddingsRequest;
      const { prompt = '' } = body;
      const { vectors } = await embed(
        { texts: prompt === '' ? [] : [prompt], truncate: true, ...commonOf(body) },
        requestSignal(),
      );
      const [vector = new Float32Array()] = vectors;
      return reply.type(json).send(`{"embedding":${formatVector(vector)}}`);
    },
  };
}

function commonOf({ model, options, keep_alive }: Pick<EmbedRequest, 'model' | 'options' | 'keep_alive'>) {
  return {
    model: parseRequestedModel(model ?? ''),
    options: parseOptions(options ?? {}),
    ...(keep_alive === undefined ? {} : { keepAlive: parseKeepAlive(keep_alive) }),
  };
}

function readInput(input: unknown): string[] {
  if (input === undefined || input === '') return [];
  if (typeof input === 'string') return [input];
  if (Array.isArray(input) && input.every((text) => typeof text === 'string')) return input;
  throw new HearthError('bad_request', 'invalid input type');
}
