// POST /v1/completions

import { HearthError } from '../../../../base/errors.ts';
import { requestSignal } from '../../../http/requests.ts';
import type { Route } from '../../../http/route.ts';
import { sendStream } from '../../../http/send-stream.ts';
import type { AnswerDone } from '../../../services/generation/answer.ts';
import type { Generate, GenerateInput, GenerateOutput } from '../../../services/generation/generate.ts';
import type { Detokenize } from '../../../services/generation/tokens.ts';
import { reportDropped } from '../../ollama/generation/answer-report.ts';
import type { ReportedToken } from '../../ollama/generation/logprob-bodies.ts';
import type { OpenAiRouteOptions } from '../chat/chat-completions-route.ts';
import { openAiDialect } from '../dialect.ts';
import { readCount, toCommonInput, toHead, toUsage, withSeedOf } from '../generation-fields.ts';
import { interleave, type Tagged } from '../interleave.ts';
import { createCompletionLogprobs, joinLogprobs } from './completion-logprobs.ts';
import {
  type CompletionChoice,
  type CompletionLogprobs,
  CompletionRequestBody,
  CompletionResponseBody,
} from './completions-schema.ts';
import { readTextsOrTokens, type TextOrTokens } from './texts-or-tokens.ts';

export interface CompletionsRouteOptions extends OpenAiRouteOptions {
  readonly generate: Generate;
  readonly detokenize: Detokenize;
}

// Prompts times `n`; each choice takes a slot.
const maxChoices = 128;

export function completionsRoute({ generate, detokenize, ...options }: CompletionsRouteOptions): Route {
  return {
    dialect: openAiDialect,
    method: 'POST',
    path: '/v1/completions',
    summary: 'Generate a completion',
    body: CompletionRequestBody,
    response: CompletionResponseBody,
    streams: CompletionResponseBody,
    async handle(request, reply) {
      const body = request.body as CompletionRequestBody;
      const inputs = readTextsOrTokens(body.prompt ?? '', 'prompt').map((prompt) => toInput(body, prompt));
      const perPrompt = readCount(body);
      if (inputs.length * perPrompt > maxChoices)
        throw new HearthError('bad_request', `more than ${maxChoices} choices in one request`);
      const signal = requestSignal();
      const echoes = body.echo ? await Promise.all(inputs.map((input) => echoOf(input, detokenize, signal))) : [];
      const answers = inputs.flatMap((input, prompt) =>
        Array.from({ length: perPrompt }, (_, index) =>
          toParts(generate(withSeedOf(input, index), signal), echoes[prompt] ?? ''),
        ),
      );
      const outputs = interleave(answers);
      const source = { id: `cmpl-${options.newId()}`, model: body.model, now: options.clock.now() };
      const head = toHead('text_completion', source);
      const first = (await outputs.next()).value as Tagged<CompletionPart>;
      if (first.item.type === 'started') reportDropped(reply, first.item);
      const shape = { head, count: answers.length, perPrompt };
      if (body.stream !== true) return fold(outputs, shape);
      const usage = body.stream_options?.include_usage;
      const chunks = toChunks(outputs, { ...shape, usage });
      return sendStream(reply, chunks, { dialect: openAiDialect, logger: options.logger });
    },
  };
}

function toInput(body: CompletionRequestBody, prompt: TextOrTokens): GenerateInput {
  const isText = typeof prompt === 'string';
  return {
    ...toCommonInput(body, body.max_tokens),
    // An empty prompt only loads the model; here it must generate.
    ...(isText && prompt !== '' ? { prompt } : { prompt: '', promptTokens: isText ? [] : prompt }),
    suffix: body.suffix ?? '',
    system: '',
    template: '',
    context: [],
    raw: body.raw ?? false,
    format: undefined,
    encodedImages: [],
    ...(body.logprobs === undefined ? {} : { topLogprobs: body.logprobs }),
  };
}

async function echoOf(
  { prompt, promptTokens, model, options }: GenerateInput,
  detokenize: Detokenize,
  signal: AbortSignal,
): Promise<string> {
  if (promptTokens === undefined || promptTokens.length === 0) return prompt;
  return detokenize({ model, options, tokens: promptTokens }, signal);
}

type CompletionPart =
  | Extract<GenerateOutput, { type: 'started' }>
  | { readonly type: 'text'; readonly text: string; readonly logprobs: CompletionLogprobs | null }
  | { readonly type: 'done'; readonly done: AnswerDone };

async function* toParts(outputs: AsyncIterable<GenerateOutput>, echo: string): AsyncGenerator<CompletionPart> {
  const toBody = createCompletionLogprobs(echo.length);
  let waiting: ReportedToken[] = [];
  const part = (text: string): CompletionPart => {
    const logprobs = waiting.length === 0 ? null : toBody(waiting);
    waiting = [];
    return { type: 'text', text, logprobs };
  };
  for await (const output of outputs) {
    if (output.type === 'started') {
      yield output;
      if (echo !== '') yield part(echo);
    }
    if (output.type === 'logprobs') waiting.push(...output.tokens);
    if (output.type === 'text') yield part(output.text);
    if (output.type === 'done') yield { type: 'done', done: output };
  }
}

interface Shape {
  readonly head: ReturnType<typeof toHead<'text_completion'>>;
  readonly count: number;
  readonly perPrompt: number;
}

async function* toChunks(
  outputs: AsyncIterable<Tagged<CompletionPart>>,
  { head, count, perPrompt, usage }: Shape & { readonly usage: boolean | undefined },
): AsyncGenerator<CompletionResponseBody> {
  const done = new Array<AnswerDone>(count);
  const chunk = (choice: CompletionChoice): CompletionResponseBody => ({
    ...head,
    choices: [choice],
    ...(usage ? { usage: null } : {}),
  });
  for await (const { index, item } of outputs) {
    if (item.type === 'text') yield chunk({ index, text: item.text, logprobs: item.logprobs, finish_reason: null });
    if (item.type !== 'done') continue;
    done[index] = item.done;
    yield chunk({ index, text: '', logprobs: null, finish_reason: item.done.reason });
  }
  if (usage) yield { ...head, choices: [], usage: toUsage(byPrompt(done, perPrompt)) };
}

/** All parts as one object. */
async function fold(
  outputs: AsyncIterable<Tagged<CompletionPart>>,
  { head, count, perPrompt }: Shape,
): Promise<CompletionResponseBody> {
  const texts = new Array<string>(count).fill('');
  const logprobs = new Array<CompletionLogprobs | null>(count).fill(null);
  const done = new Array<AnswerDone>(count);
  for await (const { index, item } of outputs) {
    if (item.type === 'done') done[index] = item.done;
    if (item.type !== 'text') continue;
    texts[index] += item.text;
    logprobs[index] = joinLogprobs(logprobs[index] ?? null, item.logprobs);
  }
  const choices = texts.map((text, index) => ({
    index,
    text,
    logprobs: logprobs[index] ?? null,
    finish_reason: done[index]?.reason ?? null,
  }));
  return { ...head, choices, usage: toUsage(byPrompt(done, perPrompt)) };
}

function byPrompt(done: readonly AnswerDone[], perPrompt: number): AnswerDone[][] {
  const prompts = Array.from({ length: done.length / perPrompt }, (_, index) => index * perPrompt);
  return prompts.map((start) => done.slice(start, start + perPrompt));
}
