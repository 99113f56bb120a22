// Converts the output of the generate service to parts of the OpenAI dialect, and folds all parts into one object.

import { pipe } from '../../../../base/pipe.ts';
import type { AnswerDone, AnswerEvent, PromptToken } from '../../../../inference/model/answer-event.ts';
import type { ReportedToken } from '../../shared/logprob-bodies.ts';
import { toVllmPromptLogprob } from '../../shared/prompt-logprobs.ts';
import { AnswerProgress, type ChunkUsage, type PartProgress, tokenIdsIn, usageSoFar } from '../answer-progress.ts';
import { toUsage } from '../generation-fields.ts';
import type { CompletionHead } from '../generation-schema.ts';
import type { Tagged } from '../interleave.ts';
import { createCompletionLogprobs, createEchoLogprobs, joinLogprobs } from './completion-logprobs.ts';
import type { CompletionChoice, CompletionLogprobs, CompletionResponseBody } from './completions-schema.ts';

type PromptLogprobs = NonNullable<CompletionChoice['prompt_logprobs']>;

export type CompletionPart =
  | Extract<AnswerEvent, { type: 'started' }>
  | { readonly type: 'prompt'; readonly logprobs: PromptLogprobs }
  | {
      readonly type: 'text';
      readonly text: string;
      readonly logprobs: CompletionLogprobs | null;
      readonly progress: PartProgress;
    }
  | { readonly type: 'done'; readonly done: AnswerDone; readonly progress: PartProgress };

interface PartOptions {
  readonly index: number;
  /** The text of the prompt, if it is repeated. */
  readonly echo: string;
  /** The number of the likeliest tokens for each token of the repeated prompt. Absent: they are not reported. */
  readonly echoTop?: number | undefined;
  /** The same for prompt_logprobs. */
  readonly promptTop?: number | undefined;
}

export function toCompletionParts(
  outputs: AsyncIterable<AnswerEvent>,
  { index, echo, echoTop, promptTop }: PartOptions,
): AsyncGenerator<Tagged<CompletionPart>> {
  const toBody = createCompletionLogprobs(echo.length);
  const toEchoBody = echoTop === undefined ? undefined : createEchoLogprobs(echo, echoTop);
  const progress = new AnswerProgress();
  let waiting: ReportedToken[] = [];
  const part = (text: string): Tagged<CompletionPart> => {
    const logprobs = waiting.length === 0 ? null : toBody(waiting);
    waiting = [];
    return { index, item: { type: 'text', text, logprobs, progress: progress.take() } };
  };
  /** Tokens of the prompt, in the forms that the request wants. */
  const ofPrompt = (tokens: readonly PromptToken[]): Tagged<CompletionPart>[] => [
    ...(toEchoBody === undefined
      ? []
      : [
          { index, item: { type: 'text', text: '', logprobs: toEchoBody(tokens), progress: progress.take() } } as const,
        ]),
    ...(promptTop === undefined
      ? []
      : [
          {
            index,
            item: { type: 'prompt', logprobs: tokens.map((token) => toVllmPromptLogprob(token, promptTop)) },
          } as const,
        ]),
  ];
  const ofDone = (done: AnswerDone): Tagged<CompletionPart>[] => {
    // Only the tokens of a repeated prompt are followed by those without text.
    if (toEchoBody !== undefined) waiting.push(...(done.logprobs ?? []));
    const rest = waiting.length === 0 ? [] : [part('')];
    return [...rest, { index, item: { type: 'done', done, progress: progress.take() } }];
  };
  const toParts = (output: AnswerEvent): Tagged<CompletionPart>[] => {
    switch (output.type) {
      case 'started':
        return [{ index, item: output }, ...(echo === '' ? [] : [part(echo)])];
      case 'prompt-tokens':
        return ofPrompt(output.tokens);
      case 'tokens':
        waiting.push(...(output.logprobs ?? []));
        return [];
      case 'text':
        return [part(output.text)];
      case 'done':
        return ofDone(output);
      default:
        return [];
    }
  };
  return pipe(outputs, {
    push(output: AnswerEvent, pass: (part: Tagged<CompletionPart>) => void) {
      progress.follow(output);
      for (const one of toParts(output)) pass(one);
    },
  });
}

interface CompletionShape {
  readonly head: CompletionHead<'text_completion'>;
  readonly count: number;
  readonly perPrompt: number;
}

export function toCompletionChunks(
  outputs: AsyncIterable<Tagged<CompletionPart>>,
  { head, count, perPrompt, usage }: CompletionShape & { readonly usage: ChunkUsage },
): AsyncGenerator<CompletionResponseBody> {
  const done = new Array<AnswerDone>(count);
  // Until the first chunk of their choice.
  const promptIds = new Map<number, readonly number[]>();
  const chunk = (choice: CompletionChoice, progress: PartProgress): CompletionResponseBody => {
    const ids = promptIds.get(choice.index);
    promptIds.delete(choice.index);
    const tokens = { ...(ids ? { prompt_token_ids: ids } : {}), ...tokenIdsIn(progress) };
    return { ...head, choices: [{ ...choice, ...tokens }], ...usageSoFar(usage, progress) };
  };
  return pipe(outputs, {
    push({ index, item }: Tagged<CompletionPart>, pass: (chunk: CompletionResponseBody) => void) {
      if (item.type === 'started' && item.promptIds) promptIds.set(index, item.promptIds);
      if (item.type === 'text')
        pass(chunk({ index, text: item.text, logprobs: item.logprobs, finish_reason: null }, item.progress));
      if (item.type !== 'done') return;
      done[index] = item.done;
      const { reason: finish_reason, violations: schema_violations } = item.done;
      pass(chunk({ index, text: '', logprobs: null, finish_reason, schema_violations }, item.progress));
    },
    end(pass) {
      if (usage !== 'none') pass({ ...head, choices: [], usage: toUsage(byPrompt(done, perPrompt)) });
    },
  });
}

/** All parts as one object. */
export async function foldCompletion(
  outputs: AsyncIterable<Tagged<CompletionPart>>,
  { head, count, perPrompt }: CompletionShape,
): Promise<CompletionResponseBody> {
  const choices = Array.from({ length: count }, (_, index) => new FoldedChoice(index));
  for await (const { index, item } of outputs) choices[index]?.add(item);
  const done = choices.map((choice) => choice.done as AnswerDone);
  return { ...head, choices: choices.map((choice) => choice.toBody()), usage: toUsage(byPrompt(done, perPrompt)) };
}

class FoldedChoice {
  readonly #index: number;
  readonly #logprobs: CompletionLogprobs[] = [];
  readonly #prompt: PromptLogprobs[number][] = [];
  #text = '';
  #ids: Pick<CompletionChoice, 'prompt_token_ids' | 'token_ids'> = {};
  done: AnswerDone | undefined;

  constructor(index: number) {
    this.#index = index;
  }

  add(part: CompletionPart): void {
    if (part.type === 'prompt') this.#prompt.push(...part.logprobs);
    else if (part.type === 'started') {
      if (part.promptIds) this.#ids = { prompt_token_ids: part.promptIds, token_ids: [] };
    } else this.#addAnswer(part);
  }

  toBody(): CompletionChoice {
    return {
      index: this.#index,
      text: this.#text,
      logprobs: joinLogprobs(this.#logprobs),
      finish_reason: this.done?.reason ?? null,
      schema_violations: this.done?.violations,
      ...this.#ids,
      ...(this.#prompt.length > 0 ? { prompt_logprobs: this.#prompt } : {}),
    };
  }

  #addAnswer(part: Extract<CompletionPart, { type: 'text' | 'done' }>): void {
    const { tokenIds } = part.progress;
    if (tokenIds) this.#ids = { ...this.#ids, token_ids: [...(this.#ids.token_ids ?? []), ...tokenIds] };
    if (part.type === 'done') this.done = part.done;
    else {
      this.#text += part.text;
      if (part.logprobs !== null) this.#logprobs.push(part.logprobs);
    }
  }
}

function byPrompt(done: readonly AnswerDone[], perPrompt: number): AnswerDone[][] {
  const prompts = Array.from({ length: done.length / perPrompt }, (_, index) => index * perPrompt);
  return prompts.map((start) => done.slice(start, start + perPrompt));
}
