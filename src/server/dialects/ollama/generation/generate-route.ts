// POST /api/generate

import type { Logger } from '../../../../base/logger.ts';
import type { Clock } from '../../../../base/time/clock.ts';
import { formatTimestamp } from '../../../../base/time/timestamp.ts';
import { requestSignal } from '../../../http/requests.ts';
import type { ResumableAnswers } from '../../../http/resumable/resumable-answers.ts';
import { sendFollowed } from '../../../http/resumable/send-followed.ts';
import type { Route } from '../../../http/route.ts';
import { sendStream } from '../../../http/streaming/send-stream.ts';
import { spaced } from '../../../http/streaming/spaced.ts';
import { parseAnswerFormat } from '../../../services/generation/answer-format.ts';
import type { Generate, GenerateInput, GenerateOutput } from '../../../services/generation/generate.ts';
import { createLogprobBuffer, toLogprobBody } from '../../shared/logprob-bodies.ts';
import type { LogprobBody } from '../../shared/logprobs-schema.ts';
import { toModelInput } from '../../shared/model-input.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';
import { reportDropped, type StartReport } from '../../shared/start-report.ts';
import { type RemoteFields, toRemoteFields, toStatistics } from './answer-report.ts';
import { GenerateRequestBody, GenerateResponseBody } from './generate-schema.ts';
import { toGenerationOptions } from './generation-fields.ts';

export interface GenerateRouteOptions {
  readonly generate: Generate;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Absent: no answer can be resumed. */
  readonly resumable?: ResumableAnswers | undefined;
}

export function generateRoute({ generate, clock, logger, resumable }: GenerateRouteOptions): Route {
  return {
    dialect: ollamaDialect,
    method: 'POST',
    scope: 'infer',
    path: '/api/generate',
    summary: 'Generate a completion',
    metered: true,
    body: GenerateRequestBody,
    response: GenerateResponseBody,
    streams: GenerateResponseBody,
    async handle(request, reply) {
      const body = request.body as GenerateRequestBody;
      let remote: RemoteFields = {};
      const stamp = () => ({
        model: body.model ?? '',
        ...remote,
        created_at: formatTimestamp(clock.now()),
      });
      const outputs = generate({ ...toInput(body), report: request.report }, requestSignal());
      if (resumable && body.resumable === true && body.stream !== false) {
        const answer = resumable.start(request, toAllResponses(outputs, stamp));
        return sendFollowed(reply, answer, { dialect: ollamaDialect, logger });
      }
      const first = (await outputs.next()).value as GenerateOutput;
      if (isLoad(first)) {
        await outputs.return(undefined);
        return toLoadResponse(first, stamp);
      }
      const start: StartReport = first.type === 'started' ? first : { droppedTokens: 0 };
      reportDropped(reply, start);
      remote = toRemoteFields(start);
      if (body.stream === false) return foldResponses(toResponses(outputs, stamp, start), stamp);
      return sendStream(reply, spaced(toResponses(outputs, stamp, start), clock), { dialect: ollamaDialect, logger });
    },
  };
}

function toInput(body: GenerateRequestBody): GenerateInput {
  return {
    ...toModelInput(body, { emptyIsUnknown: true }),
    prompt: body.prompt ?? '',
    suffix: body.suffix ?? '',
    system: body.system ?? '',
    template: body.template ?? '',
    context: body.context ?? [],
    raw: body.raw ?? false,
    format: parseAnswerFormat(body.format),
    encodedImages: body.images ?? [],
    ...toGenerationOptions(body),
  };
}

type Stamp = () => Pick<GenerateResponseBody, 'model' | 'created_at'>;
type LoadOutput = Extract<GenerateOutput, { type: 'loaded' | 'unloaded' }>;

function isLoad(output: GenerateOutput): output is LoadOutput {
  return output.type === 'loaded' || output.type === 'unloaded';
}

function toLoadResponse({ type }: LoadOutput, stamp: Stamp): GenerateResponseBody {
  return { ...stamp(), response: '', done: true, done_reason: type === 'loaded' ? 'load' : 'unload' };
}

/** Also the only object of a request that just loads or unloads the model. */
async function* toAllResponses(
  outputs: AsyncGenerator<GenerateOutput>,
  stamp: Stamp,
): AsyncGenerator<GenerateResponseBody> {
  const first = (await outputs.next()).value as GenerateOutput;
  if (!isLoad(first)) yield* toResponses(outputs, stamp, first.type === 'started' ? first : { droppedTokens: 0 });
  else {
    await outputs.return(undefined);
    yield toLoadResponse(first, stamp);
  }
}

async function* toResponses(
  outputs: AsyncIterable<GenerateOutput>,
  stamp: Stamp,
  start: StartReport,
): AsyncGenerator<GenerateResponseBody> {
  const buffer = createLogprobBuffer(toLogprobBody);
  for await (const output of outputs) {
    if (output.type === 'logprobs') buffer.put(output.tokens);
    if (output.type === 'thinking')
      yield { ...stamp(), response: '', thinking: output.text, done: false, ...buffer.take() };
    if (output.type === 'text') yield { ...stamp(), response: output.text, done: false, ...buffer.take() };
    if (output.type === 'done')
      yield {
        ...stamp(),
        response: '',
        done: true,
        ...toStatistics(output, start),
        ...contextOf(output),
        ...buffer.take(),
      };
  }
}

/** All objects as one. */
async function foldResponses(parts: AsyncIterable<GenerateResponseBody>, stamp: Stamp): Promise<GenerateResponseBody> {
  let response = '';
  let thinking = '';
  const logprobs: LogprobBody[] = [];
  let last: GenerateResponseBody = { ...stamp(), response, done: false };
  for await (const part of parts) {
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

function contextOf({ context }: Extract<GenerateOutput, { type: 'done' }>): Pick<GenerateResponseBody, 'context'> {
  return context ? { context } : {};
}
