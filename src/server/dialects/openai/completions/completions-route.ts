// POST /v1/completions

import { Readable } from 'node:stream';
import { HearthError } from '../../../../base/errors.ts';
import { onFirst, pipe } from '../../../../base/pipe.ts';
import type { Reported } from '../../../../base/request/request-report.ts';
import type { Route } from '../../../http/route.ts';
import { sendStream } from '../../../http/streaming/send-stream.ts';
import type { Generate, GenerateInput } from '../../../services/generation/generate.ts';
import type { LoadModel } from '../../../services/generation/load-model.ts';
import type { RenderPrompt } from '../../../services/generation/render-prompt.ts';
import type { Detokenize } from '../../../services/generation/tokens.ts';
import { openAiDialect } from '../../shared/openai-dialect.ts';
import { createEntryLimit } from '../../shared/prompt-logprobs.ts';
import { reportDropped, toDebugInfo } from '../../shared/start-report.ts';
import { readFormatFields } from '../answer-format.ts';
import { readChunkUsage } from '../answer-progress.ts';
import type { OpenAiRouteOptions } from '../chat/chat-completions-route.ts';
import { readCount, toChoice, toCommonInput, toHead, toUsage } from '../generation-fields.ts';
import type { CompletionHead } from '../generation-schema.ts';
import { interleave, type Tagged } from '../interleave.ts';
import { type CompletionPart, foldCompletion, toCompletionChunks, toCompletionParts } from './completion-parts.ts';
import { CompletionRequestBody, CompletionResponseBody } from './completions-schema.ts';
import { readTextsOrTokens, type TextOrTokens } from './texts-or-tokens.ts';

interface CompletionsRouteOptions extends OpenAiRouteOptions {
  readonly generate: Generate;
  readonly renderPrompt: RenderPrompt;
  readonly loadModel: LoadModel;
  readonly detokenize: Detokenize;
  /** Whether prompts are messages of users unless requests say something else. */
  readonly completionsTemplate?: boolean;
}

// Prompts times `n`; each choice takes a slot.
const maxChoices = 128;

export function completionsRoute(services: CompletionsRouteOptions): Route {
  const { generate, renderPrompt, loadModel, detokenize, completionsTemplate = false, ...options } = services;
  return {
    dialect: openAiDialect,
    method: 'POST',
    scope: 'infer',
    path: '/v1/completions',
    summary: 'Generate a completion',
    metered: true,
    reportsLoad: true,
    body: CompletionRequestBody,
    response: CompletionResponseBody,
    streams: CompletionResponseBody,
    async handle(request, reply) {
      const body = request.body as CompletionRequestBody;
      const source = { id: `cmpl-${options.newId()}`, model: body.model, now: options.clock.now() };
      const head = toHead('text_completion', source);
      const { signal } = request.scope;
      if (body.prompt === undefined) {
        const outcome = await loadModel({ ...toLoadInput(body), task: 'generate', report: request.report }, signal);
        const loaded = toLoadResponse(outcome, head);
        if (body.stream !== true) return loaded;
        return sendStream(reply, Readable.from([loaded]), { dialect: openAiDialect, logger: options.logger });
      }
      refuseInStream(body);
      const inputs = readTextsOrTokens(body.prompt, 'prompt').map((prompt) => ({
        ...toInput(body, prompt, completionsTemplate),
        report: request.report,
      }));
      const [first] = inputs;
      if (body._debug_render_only === true && first !== undefined)
        return {
          ...head,
          choices: [{ index: 0, text: '', logprobs: null, finish_reason: 'stop' }],
          usage: toUsage([]),
          _debug_info: toDebugInfo(await renderPrompt.ofGenerate(first, signal)),
        };
      const perPrompt = readCount(body);
      if (inputs.length * perPrompt > maxChoices)
        throw new HearthError('bad_request', `more than ${maxChoices} choices in one request`);
      const tops = topsOf(body);
      const echoes = body.echo ? await Promise.all(inputs.map((input) => echoOf(input, detokenize, signal))) : [];
      const answers = Array.from({ length: inputs.length * perPrompt }, (_, index) => {
        const prompt = Math.floor(index / perPrompt);
        const input = toChoice(inputs[prompt] as Reported<GenerateInput>, index % perPrompt);
        return toCompletionParts(generate(input, signal), { index, echo: echoes[prompt] ?? '', ...tops });
      });
      const outputs = onFirst(interleave(answers), ({ item }) => {
        if (item.type === 'started') reportDropped(reply, item);
      });
      const shape = { head, count: answers.length, perPrompt };
      if (body.stream !== true) return foldCompletion(limitEntries(outputs, inputs), shape);
      const chunks = toCompletionChunks(outputs, { ...shape, usage: readChunkUsage(body) });
      return sendStream(reply, chunks, { dialect: openAiDialect, logger: options.logger });
    },
  };
}

/** Without a prompt, the model is only loaded, or unloaded if keep_alive is 0. */
function toLoadResponse(
  outcome: 'loaded' | 'unloaded',
  head: CompletionHead<'text_completion'>,
): CompletionResponseBody {
  const reason = outcome === 'unloaded' ? 'unload' : 'load';
  return { ...head, choices: [{ index: 0, text: '', logprobs: null, finish_reason: reason }], usage: toUsage([]) };
}

/** For a response that is not a stream. */
function limitEntries(outputs: AsyncIterable<Tagged<CompletionPart>>, [first]: readonly GenerateInput[]) {
  const checkSize = createEntryLimit(first?.promptLogprobs?.top ?? -1);
  return pipe(outputs, {
    push(part: Tagged<CompletionPart>, pass: (part: Tagged<CompletionPart>) => void) {
      if (part.item.type === 'started') checkSize(part.item);
      pass(part);
    },
  });
}

/** As in vLLM. The tokens of a repeated prompt are a part of streams. */
function refuseInStream({ stream, prompt_logprobs }: Pick<CompletionRequestBody, 'stream' | 'prompt_logprobs'>): void {
  if (stream === true && prompt_logprobs !== undefined)
    throw new HearthError('bad_request', 'prompt_logprobs is not available in a stream');
}

function toInput(body: CompletionRequestBody, prompt: TextOrTokens, usesTemplate: boolean): GenerateInput {
  const isText = typeof prompt === 'string';
  // An empty text in an array must generate.
  const given = isText && prompt !== '' ? { prompt } : { prompt: '', promptTokens: isText ? [] : prompt };
  // A gap is filled by the template, which knows the tokens around it.
  const raw = body.raw ?? (!usesTemplate && (body.suffix ?? '') === '');
  return { ...toLoadInput(body), ...toPromptOptions(body), ...given, raw };
}

/** How many of the likeliest tokens are reported with each token of the prompt. Absent: it is not reported. */
function topsOf({ echo, logprobs, prompt_logprobs }: CompletionRequestBody) {
  return { echoTop: echo ? logprobs : undefined, promptTop: prompt_logprobs };
}

/** What is reported about the prompt. */
function toPromptOptions(body: CompletionRequestBody): Pick<GenerateInput, 'promptLogprobs' | 'promptOnly'> {
  const { echo = false, prompt_logprobs, max_tokens } = body;
  const tops = Object.values(topsOf(body)).filter((top) => top !== undefined);
  return {
    promptLogprobs: tops.length === 0 ? undefined : { top: Math.max(...tops), from: 0 },
    promptOnly: max_tokens === 0 && (echo || prompt_logprobs !== undefined),
  };
}

function toLoadInput(body: CompletionRequestBody): GenerateInput {
  return {
    // 0 means no limit, as in Ollama.
    ...toCommonInput(body, body.max_tokens || undefined, { emptyIsUnknown: true }),
    prompt: '',
    suffix: body.suffix ?? '',
    system: '',
    template: '',
    context: [],
    raw: false,
    format: readFormatFields(body),
    encodedImages: [],
    ...(body.logprobs === undefined ? {} : { topLogprobs: body.logprobs }),
  };
}

async function echoOf(
  { prompt, promptTokens, model, options, report }: Reported<GenerateInput>,
  detokenize: Detokenize,
  signal: AbortSignal,
): Promise<string> {
  if (promptTokens === undefined || promptTokens.length === 0) return prompt;
  return detokenize({ model, options, tokens: promptTokens, report }, signal);
}
