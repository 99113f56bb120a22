// Converts the answers of the infill service to the objects of llama-server.

import { pipe } from '../../../../base/pipe.ts';
import { nanosecondsPerMillisecond } from '../../../../base/time/duration.ts';
import type { AnswerDone, AnswerEvent } from '../../../../inference/model/answer-event.ts';
import type { InfillAnswer } from '../../../services/generation/infill.ts';
import type { InfillPartBody, InfillTimings } from './infill-schema.ts';

interface PartOptions {
  readonly index: number;
  readonly model: string;
  /** -1: no limit. */
  readonly maxTokens: number;
}

/** One object per text, then one with the rest. */
export function toInfillParts(answer: InfillAnswer, { index, model, maxTokens }: PartOptions) {
  let tokens = 0;
  let promptTokens = 0;
  let hasLineBreak = false;
  const part = (content: string, stop: boolean): InfillPartBody => ({
    index,
    content,
    stop,
    id_slot: 0,
    tokens_predicted: tokens,
    tokens_evaluated: promptTokens,
  });
  return pipe(answer.events, {
    push(event: AnswerEvent, pass: (part: InfillPartBody) => void) {
      if (event.type === 'started') ({ promptTokens } = event);
      if (event.type === 'tokens') tokens = event.generatedTokens;
      if (event.type === 'text') {
        hasLineBreak ||= event.text.includes('\n');
        pass(part(event.text, false));
      }
      if (event.type !== 'done') return;
      tokens = event.generatedTokens;
      ({ promptTokens } = event);
      const { contextLength = 0, isCut = false } = answer.prompt() ?? {};
      pass({
        ...part('', true),
        model,
        has_new_line: hasLineBreak,
        truncated: isCut,
        stop_type: stopTypeOf(event),
        stopping_word: event.stopSequence ?? '',
        tokens_cached: event.promptTokens + event.generatedTokens,
        generation_settings: { n_ctx: contextLength, n_predict: maxTokens },
        timings: toTimings(event),
      });
    },
  });
}

function stopTypeOf({ reason, stopSequence }: AnswerDone): NonNullable<InfillPartBody['stop_type']> {
  if (reason === 'length') return 'limit';
  return stopSequence === undefined ? 'eos' : 'word';
}

function toTimings(done: AnswerDone): InfillTimings {
  const { promptTokens, cachedTokens, promptNanoseconds, generatedTokens, generateNanoseconds } = done;
  const evaluated = promptTokens - cachedTokens;
  const prompt = toSpeed(evaluated, promptNanoseconds);
  const predicted = toSpeed(generatedTokens, generateNanoseconds);
  return {
    cache_n: cachedTokens,
    prompt_n: evaluated,
    prompt_ms: prompt.ms,
    prompt_per_token_ms: prompt.perTokenMs,
    prompt_per_second: prompt.perSecond,
    predicted_n: generatedTokens,
    predicted_ms: predicted.ms,
    predicted_per_token_ms: predicted.perTokenMs,
    predicted_per_second: predicted.perSecond,
  };
}

/** 0 for what is not known. */
function toSpeed(tokens: number, nanoseconds: number) {
  const ms = nanoseconds / nanosecondsPerMillisecond;
  return { ms, perTokenMs: tokens > 0 ? ms / tokens : 0, perSecond: ms > 0 ? (tokens * 1000) / ms : 0 };
}

/** The objects of each answer as one. */
export async function foldInfill(parts: AsyncIterable<InfillPartBody>, count: number): Promise<InfillPartBody[]> {
  const contents = new Array<string>(count).fill('');
  const lasts: InfillPartBody[] = [];
  for await (const part of parts) {
    contents[part.index] += part.content;
    if (part.stop) lasts.push(part);
  }
  return lasts.map((last) => ({ ...last, content: contents[last.index] ?? '' })).sort((a, b) => a.index - b.index);
}

/** The wanted fields under their paths, such as `timings/prompt_n`. Unknown ones are left out. */
export function selectFields(part: InfillPartBody, paths: readonly string[]): Record<string, unknown> {
  const found = paths.map((path) => [path, path.split('/').reduce<unknown>(memberOf, part)] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
