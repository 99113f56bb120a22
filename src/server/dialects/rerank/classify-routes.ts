// POST /classify and POST /v1/classify: the classes of texts, as vLLM has it.

import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../../base/time/clock.ts';
import type { Route } from '../../http/route.ts';
import type { Classify } from '../../services/generation/rerank.ts';
import { toModelInput } from '../shared/model-input.ts';
import { openAiDialect } from '../shared/openai-dialect.ts';
import { readTexts } from '../shared/read-fields.ts';
import { ClassifyRequestBody, ClassifyResponseBody } from './classify-schema.ts';

export interface ClassifyServices {
  readonly classify: Classify;
  readonly newId: () => string;
  readonly clock: Clock;
}

export function classifyRoutes(services: ClassifyServices): Route[] {
  return ['/v1/classify', '/classify'].map((path) => ({
    dialect: openAiDialect,
    method: 'POST',
    scope: 'infer',
    path,
    summary: 'Classify texts',
    metered: true,
    tag: 'Rerank',
    body: ClassifyRequestBody,
    response: ClassifyResponseBody,
    handle: (request) => answer(services, request),
  }));
}

async function answer(
  { classify, newId, clock }: ClassifyServices,
  { body: given, report, scope }: FastifyRequest,
): Promise<ClassifyResponseBody> {
  const body = given as ClassifyRequestBody;
  const { use_activation: useActivation = true, truncate = true } = body;
  const texts = readTexts(body.input, 'input');
  const { results, promptTokens } = await classify(
    { ...toModelInput(body), texts, useActivation, truncate, report },
    scope.signal,
  );
  return {
    id: `classify-${newId()}`,
    object: 'list',
    created: Math.floor(clock.now() / 1000),
    model: body.model ?? '',
    data: results.map(({ label, probabilities }, index) => ({
      index,
      label,
      probs: probabilities,
      num_classes: probabilities.length,
    })),
    usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
  };
}
