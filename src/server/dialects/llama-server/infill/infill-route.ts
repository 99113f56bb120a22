// POST /infill, which llama.vim, llama.vscode and other editors call at every pause of a user who types.

import type { Logger } from '../../../../base/logger.ts';
import { parseOptions } from '../../../../models/options.ts';
import type { Route } from '../../../http/route.ts';
import { sendStream } from '../../../http/streaming/send-stream.ts';
import type { Infill, InfillInput } from '../../../services/generation/infill.ts';
import type { ChooseModel } from '../../../services/management/choose-model.ts';
import { readCount, toChoice } from '../../openai/generation-fields.ts';
import { interleave } from '../../openai/interleave.ts';
import { readOptionFields, toModelInput } from '../../shared/model-input.ts';
import { invalid } from '../../shared/read-fields.ts';
import { llamaServerDialect } from '../dialect.ts';
import { foldInfill, selectFields, toInfillParts } from './infill-parts.ts';
import { InfillPartBody, InfillRequestBody, InfillResponseBody } from './infill-schema.ts';
import { readSamplers } from './samplers.ts';

interface InfillRouteOptions {
  readonly infill: Infill;
  readonly chooseModel: ChooseModel;
  readonly logger: Logger;
}

const maxFiles = 1024;
const maxFields = 64;

export function infillRoute({ infill, chooseModel, logger }: InfillRouteOptions): Route {
  return {
    dialect: llamaServerDialect,
    method: 'POST',
    scope: 'infer',
    path: '/infill',
    summary: 'Fill a gap in a text',
    metered: true,
    body: InfillRequestBody,
    response: InfillResponseBody,
    streams: InfillPartBody,
    async handle(request, reply) {
      const body = request.body as InfillRequestBody;
      const { response_fields: fields } = body;
      if (fields && fields.length > maxFields) throw invalid('response_fields', `there are more than ${maxFields}`);
      const model = await chooseModel(body.model);
      const input = { ...toInput(body, model), report: request.report };
      const maxTokens = input.onlyPrompt ? 0 : (input.options.values.numPredict ?? -1);
      const answers = Array.from({ length: readCount({ n: body.n_cmpl }) }, (_, index) => {
        const answer = infill(toChoice(input, index), request.scope.signal);
        return toInfillParts(answer, { index, model, maxTokens });
      });
      const parts = interleave(answers);
      if (body.stream === true) return sendStream(reply, parts, { dialect: llamaServerDialect, logger });
      const folded = await foldInfill(parts, answers.length);
      const responses = fields === undefined ? folded : folded.map((part) => selectFields(part, fields));
      return responses.length === 1 ? responses[0] : responses;
    },
  };
}

function toInput(body: InfillRequestBody, model: string): InfillInput {
  const { samplers, input_extra: files = [], n_indent: minIndent = 0, t_max_predict_ms: maxTimeMs = 0 } = body;
  if (files.length > maxFiles) throw invalid('input_extra', `there are more than ${maxFiles} files`);
  const given = readOptionFields(body);
  const options = { ...given, ...(samplers === undefined ? {} : readSamplers(samplers)) };
  const wanted = Number(given['num_predict'] ?? defaultAnswerTokens);
  // An answer without tokens would leave the prompt unevaluated.
  const onlyPrompt = wanted === 0;
  return {
    ...toModelInput({ model, keep_alive: body.keep_alive }),
    options: parseOptions(onlyPrompt ? { ...options, num_predict: 1 } : options),
    gap: {
      before: body.input_prefix ?? '',
      line: body.prompt ?? '',
      after: body.input_suffix ?? '',
      files: files.map(({ filename = 'tmp', text }) => ({ name: filename, text })),
      answerTokens: wanted > 0 ? wanted : defaultAnswerTokens,
    },
    fillsGap: samplers?.includes('infill') ?? false,
    onlyPrompt,
    limits: { minIndent, maxTimeMs },
    truncate: false,
    shift: false,
    tokenCounts: true,
  };
}

// Room in the context for an answer without a limit.
const defaultAnswerTokens = 256;
