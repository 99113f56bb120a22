// POST /api/compare

import { HearthError } from '../../../../base/errors.ts';
import type { Logger } from '../../../../base/logger.ts';
import { parseRequestedModel } from '../../../../models/name.ts';
import type { Route } from '../../../http/route.ts';
import { sendStream } from '../../../http/streaming/send-stream.ts';
import type { Compare } from '../../../services/generation/compare.ts';
import { toModelInput } from '../../shared/model-input.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';
import { CompareRequestBody, CompareResponseBody, ComparisonResponseBody } from './compare-schema.ts';

export function compareRoute({ compare, logger }: { readonly compare: Compare; readonly logger: Logger }): Route {
  return {
    dialect: ollamaDialect,
    method: 'POST',
    scope: 'infer',
    path: '/api/compare',
    summary: 'Compare a model with another one on a text',
    metered: true,
    body: CompareRequestBody,
    response: ComparisonResponseBody,
    streams: CompareResponseBody,
    async handle(request, reply) {
      const body = request.body as CompareRequestBody;
      if (body.against === undefined) throw new HearthError('bad_request', 'against is required');
      const { report, scope } = request;
      const against = parseRequestedModel(body.against);
      const input = { ...toModelInput(body), against, text: body.text, client: scope.client, report };
      const names = { model: input.model.text, against: input.against.text };
      const responses = toCompareResponses(compare(input, scope.signal), names);
      if (body.stream ?? true) return sendStream(reply, responses, { dialect: ollamaDialect, logger });
      let last: CompareResponseBody | undefined;
      for await (const response of responses) last = response;
      return last;
    },
  };
}

async function* toCompareResponses(
  events: ReturnType<Compare>,
  names: Pick<ComparisonResponseBody, 'model' | 'against'>,
): AsyncGenerator<CompareResponseBody> {
  for await (const event of events) {
    if (event.type === 'progress') {
      yield { status: 'comparing', completed: event.completed, total: event.total };
      continue;
    }
    const { chunks, tokens, perplexity, basePerplexity, divergence, sameTop } = event.comparison;
    yield {
      status: 'success',
      ...names,
      chunks,
      tokens,
      perplexity: perplexity.value,
      perplexity_error: perplexity.error,
      against_perplexity: basePerplexity.value,
      against_perplexity_error: basePerplexity.error,
      kl_divergence: divergence.value,
      kl_divergence_error: divergence.error,
      same_top: sameTop.value,
      same_top_error: sameTop.error,
    };
  }
}
