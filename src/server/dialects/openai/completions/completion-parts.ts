// Converts the output of the generate service to parts of the OpenAI dialect, and folds all parts into one object.

import { pipe } from '../../../../base/pipe.ts';
import type { AnswerDone, AnswerEvent } from '../../../../inference/model/answer-event.ts';
import type { ReportedToken } from '../../shared/logprob-bodies.ts';
import { AnswerProgress, type ChunkUsage, type PartProgress, tokenIdsIn, usageSoFar } from '../answer-progress.ts';
import { toUsage } from '../generation-fields.ts';
import type { CompletionHead } from '../generation-schema.ts';
import type { Tagged } from '../interleave.ts';
import { createCompletionLogprobs, joinLogprobs } from './completion-logprobs.ts';
import type { CompletionChoice, CompletionLogprobs, CompletionResponseBody } from './completions-schema.ts';

type CompletionPart =
  | Extract<AnswerEvent, { type: 'started' }>
  | {
      readonly type: 'text';
      readonly text: string;
      readonly logprobs: CompletionLogprobs | null;
      readonly progress: PartProgress;
    }
  | { readonly type: 'done'; readonly done: AnswerDone; readonly progress: PartProgress };

export function toCompletionParts(
  outputs: AsyncIterable<AnswerEvent>,
  { index, echo }: { readonly index: number; readonly echo: string },
): AsyncGenerator<Tagged<CompletionPart>> {
  const toBody = createCompletionLogprobs(echo.length);
  const progress = new AnswerProgress();
  let waiting: ReportedToken[] = [];
  const part = (text: string): Tagged<CompletionPart> => {
    const logprobs = waiting.length === 0 ? null : toBody(waiting);
    waiting = [];
    return { index, item: { type: 'text', text, logprobs, progress: progress.take() } };
  };
  return pipe(outputs, {
    push(output: AnswerEvent, pass: (part: Tagged<CompletionPart>) => void) {
      progress.follow(output);
      if (output.type === 'started') {
        pass({ index, item: output });
        if (echo !== '') pass(part(echo));
      }
      if (output.type === 'tokens') waiting.push(...(output.logprobs ?? []));
      if (output.type === 'text') pass(part(output.text));
      if (output.type === 'done') pass({ index, item: { type: 'done', done: output, progress: progress.take() } });
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
      pass(chunk({ index, text: '', logprobs: null, finish_reason: item.done.reason }, item.progress));
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
  const texts = new Array<string>(count).fill('');
  const logprobs = new Array<CompletionLogprobs | null>(count).fill(null);
  const done = new Array<AnswerDone>(count);
  const ids = Array.from({ length: count }, (): Pick<CompletionChoice, 'prompt_token_ids' | 'token_ids'> => ({}));
  for await (const { index, item } of outputs) {
    if (item.type === 'started' && item.promptIds) ids[index] = { prompt_token_ids: item.promptIds, token_ids: [] };
    if (item.type !== 'started' && item.progress.tokenIds)
      ids[index] = { ...ids[index], token_ids: [...(ids[index]?.token_ids ?? []), ...item.progress.tokenIds] };
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
    ...ids[index],
  }));
  return { ...head, choices, usage: toUsage(byPrompt(done, perPrompt)) };
}

function byPrompt(done: readonly AnswerDone[], perPrompt: number): AnswerDone[][] {
  const prompts = Array.from({ length: done.length / perPrompt }, (_, index) => index * perPrompt);
  return prompts.map((start) => done.slice(start, start + perPrompt));
}
