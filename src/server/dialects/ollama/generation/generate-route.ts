// POST /api/generate

import type { Logger } from '../../../../base/logger.ts';
import { onFirst, pipe, type Step } from '../../../../base/pipe.ts';
import type { Clock } from '../../../../base/time/clock.ts';
import { formatTimestamp } from '../../../../base/time/timestamp.ts';
import type { AnswerEvent, AnswerStarted } from '../../../../inference/model/answer-event.ts';
import { parseAnswerFormat } from '../../../../inference/model/answer-format.ts';
import type { ResumableAnswers } from '../../../http/resumable/resumable-answers.ts';
import { sendFollowed } from '../../../http/resumable/send-followed.ts';
import type { Route } from '../../../http/route.ts';
import { Spacing, sendStream } from '../../../http/streaming/send-stream.ts';
import type { Generate, GenerateInput } from '../../../services/generation/generate.ts';
import type { LoadModel } from '../../../services/generation/load-model.ts';
import type { RenderPrompt } from '../../../services/generation/render-prompt.ts';
import { createLogprobBuffer, toLogprobBody } from '../../shared/logprob-bodies.ts';
import type { LogprobBody, PromptLogprobBody } from '../../shared/logprobs-schema.ts';
import { toModelInput } from '../../shared/model-input.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';
import { createEntryLimit, toPromptLogprobBody } from '../../shared/prompt-logprobs.ts';
import { reportStart, toDebugInfo } from '../../shared/start-report.ts';
import { GenerateRequestBody, GenerateResponseBody } from './generate-schema.ts';
import { toGenerationOptions, toProgressBody, toRemoteFields, toStatistics } from './generation-fields.ts';

interface GenerateRouteOptions {
  readonly generate: Generate;
  readonly loadModel: LoadModel;
  readonly renderPrompt: RenderPrompt;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Absent: no answer can be resumed. */
  readonly resumable?: ResumableAnswers | undefined;
}

export function generateRoute(options: GenerateRouteOptions): Route {
  const { generate, loadModel, renderPrompt, clock, logger, resumable } = options;
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
      const stamp: Stamp = (start) => ({
        model: body.model ?? '',
        ...toRemoteFields(start),
        created_at: formatTimestamp(clock.now()),
      });
      const input = { ...toInput(body), report: request.report };
      const { signal } = request.scope;
      if (input.prompt === '') {
        const outcome = await loadModel({ ...input, task: 'generate' }, signal);
        return { ...stamp(), response: '', done: true, done_reason: outcome === 'loaded' ? 'load' : 'unload' };
      }
      if (body._debug_render_only === true)
        return {
          ...stamp(),
          response: '',
          done: false,
          _debug_info: toDebugInfo(await renderPrompt.ofGenerate(input, signal)),
        };
      const checkSize = createEntryLimit(body.prompt_logprobs ?? -1);
      const events = onFirst(generate(input, signal), (first) => {
        if (body.stream === false && first.type === 'started') checkSize(first);
      });
      if (resumable && body.resumable === true && body.stream !== false) {
        const answer = resumable.start(request, pipe(events, createToResponses(stamp)));
        return sendFollowed(reply, answer, { dialect: ollamaDialect, logger });
      }
      const responses = pipe(onFirst(events, reportStart(reply)), createToResponses(stamp));
      if (body.stream === false) return foldResponses(responses, stamp);
      return sendStream(reply, responses, { dialect: ollamaDialect, logger, spacing: new Spacing(clock) });
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
    promptLogprobs: body.prompt_logprobs === undefined ? undefined : { top: body.prompt_logprobs, from: 0 },
  };
}

/** `start`: absent if nothing is generated. */
type Stamp = (start?: AnswerStarted) => Pick<GenerateResponseBody, 'model' | 'created_at'>;

function createToResponses(stamp: Stamp): Step<AnswerEvent, GenerateResponseBody> {
  const buffer = createLogprobBuffer(toLogprobBody);
  let start: AnswerStarted | undefined;
  const part = (fields: Pick<GenerateResponseBody, 'response' | 'thinking'>): GenerateResponseBody => ({
    ...stamp(start),
    ...fields,
    done: false,
    ...buffer.take(),
  });
  return {
    push(event, pass) {
      switch (event.type) {
        case 'started':
          start = event;
          return;
        case 'prompt-tokens':
          return pass({ ...part({ response: '' }), prompt_logprobs: event.tokens.map(toPromptLogprobBody) });
        case 'progress':
          return pass({ ...part({ response: '' }), prompt_progress: toProgressBody(event) });
        case 'tokens':
          return buffer.put(event);
        case 'thinking':
          return pass(part({ response: '', thinking: event.text }));
        case 'text':
          return pass(part({ response: event.text }));
        case 'done': {
          const { context } = event;
          const last = { ...part({ response: '' }), done: true, ...toStatistics(event, start) };
          return pass({ ...last, ...(context ? { context } : {}) });
        }
      }
    },
  };
}

/** All objects as one. */
async function foldResponses(parts: AsyncIterable<GenerateResponseBody>, stamp: Stamp): Promise<GenerateResponseBody> {
  let response = '';
  let thinking = '';
  const logprobs: LogprobBody[] = [];
  const prompt: PromptLogprobBody[] = [];
  let last: GenerateResponseBody = { ...stamp(), response, done: false };
  for await (const part of parts) {
    response += part.response;
    thinking += part.thinking ?? '';
    logprobs.push(...(part.logprobs ?? []));
    prompt.push(...(part.prompt_logprobs ?? []));
    last = part;
  }
  return {
    ...last,
    response,
    ...(thinking === '' ? {} : { thinking }),
    ...(logprobs.length === 0 ? {} : { logprobs }),
    ...(prompt.length === 0 ? {} : { prompt_logprobs: prompt }),
  };
}
