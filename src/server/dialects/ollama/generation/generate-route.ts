// POST /api/generate

import type { Logger } from '../../../../base/logger.ts';
import type { Clock } from '../../../../base/time/clock.ts';
import { formatTimestamp } from '../../../../base/time/timestamp.ts';
import { parseKeepAlive } from '../../../../models/keep-alive.ts';
import { parseOptions } from '../../../../models/options.ts';
import { parseRequestedModel } from '../../../../models/requested-model.ts';
import { sendNdjson } from '../../../http/ndjson.ts';
import { requestSignal } from '../../../http/requests.ts';
import type { Route } from '../../../http/route.ts';
import { spaced } from '../../../http/spaced.ts';
import { parseAnswerFormat } from '../../../services/generation/answer-format.ts';
import type { Generate, GenerateInput, GenerateOutput } from '../../../services/generation/generate.ts';
import { GenerateBody } from '../responses-schema.ts';
import { reportDropped, toStatistics } from './answer-report.ts';
import { GenerateRequest, type GenerateResponse } from './generate-schema.ts';
import { createLogprobBuffer, toGenerationOptions, toLogprobBody } from './generation-fields.ts';
import type { LogprobBody } from './generation-options-schema.ts';

export interface GenerateRouteOptions {
  readonly generate: Generate;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function generateRoute({ generate, clock, logger }: GenerateRouteOptions): Route {
  return {
    method: 'POST',
    path: '/api/generate',
    body: GenerateRequest,
    summary: 'The completion of a prompt',
    response: GenerateBody,
    streams: { type: 'application/x-ndjson', each: GenerateBody },
    async handle(request, reply) {
      const body = request.body as GenerateRequest;
      const stamp = () => ({ model: body.model ?? '', created_at: formatTimestamp(clock.now()) });
      const outputs = generate(toInput(body), requestSignal());
      const first = (await outputs.next()).value as GenerateOutput;
      if (first.type === 'loaded' || first.type === 'unloaded') {
        await outputs.return(undefined);
        return {
          ...stamp(),
          response: '',
          done: true,
          done_reason: first.type === 'loaded' ? 'load' : 'unload',
        } satisfies GenerateResponse;
      }
      if (first.type === 'started') reportDropped(reply, first);
      if (body.stream === false) return foldResponses(outputs, stamp);
      return sendNdjson(reply, spaced(toResponses(outputs, stamp), clock), logger);
    },
  };
}

function toInput(body: GenerateRequest): GenerateInput {
  return {
    model: parseRequestedModel(body.model ?? ''),
    prompt: body.prompt ?? '',
    suffix: body.suffix ?? '',
    system: body.system ?? '',
    template: body.template ?? '',
    context: body.context ?? [],
    raw: body.raw ?? false,
    format: parseAnswerFormat(body.format),
    encodedImages: body.images ?? [],
    options: parseOptions(body.options ?? {}),
    ...toGenerationOptions(body),
    ...(body.keep_alive === undefined ? {} : { keepAlive: parseKeepAlive(body.keep_alive) }),
  };
}

type Stamp = () => Pick<GenerateResponse, 'model' | 'created_at'>;

async function* toResponses(outputs: AsyncIterable<GenerateOutput>, stamp: Stamp): AsyncGenerator<GenerateResponse> {
  const buffer = createLogprobBuffer(toLogprobBody);
  for await (const output of outputs) {
    if (output.type === 'logprobs') buffer.put(output.tokens);
    if (output.type === 'thinking')
      yield { ...stamp(), response: '', thinking: output.text, done: false, ...buffer.take() };
    if (output.type === 'text') yield { ...stamp(), response: output.text, done: false, ...buffer.take() };
    if (output.type === 'done')
      yield { ...stamp(), response: '', done: true, ...toStatistics(output), ...contextOf(output), ...buffer.take() };
  }
}

/** The same events as one object. */
async function foldResponses(outputs: AsyncIterable<GenerateOutput>, stamp: Stamp): Promise<GenerateResponse> {
  let response = '';
  let thinking = '';
  const logprobs: LogprobBody[] = [];
  let last: GenerateResponse = { ...stamp(), response, done: false };
  for await (const part of toResponses(outputs, stamp)) {
    response += part.response;
    thinking += part.thinking ?? '';
    logprobs.push(...(part.logprobs ?? []));
    last = part;
  }
  return {
    ...last,
    response,
    ...(thinking === '' ? {} : { thinking }),
    ...(logprobs.length === 0 ? {} : { logprobs }),
  };
}

function contextOf({ context }: Extract<GenerateOutput, { type: 'done' }>): Pick<GenerateResponse, 'context'> {
  return context ? { context } : {};
}
