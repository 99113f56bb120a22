// Fills a gap in a text, as editors ask for it. The answer ends at limits that suit a suggestion at a cursor.

import { openLater, pipe, type Step } from '../../../base/pipe.ts';
import type { Reported } from '../../../base/request/request-report.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { nanosecondsPerMillisecond } from '../../../base/time/duration.ts';
import type { AnswerEvent, AnswerStarted } from '../../../inference/model/answer-event.ts';
import type { Gap, GapPrompt } from '../../../inference/model/model.ts';
import { type AnswerInput, answerRequest, cutDone } from './measure-answer.ts';
import type { GenerationServices } from './prepare-model.ts';

export interface InfillInput extends AnswerInput {
  readonly gap: Gap;
  readonly fillsGap: boolean;
  /** The prompt is evaluated, so that the next request is faster. The answer has no text. */
  readonly onlyPrompt: boolean;
  readonly limits: InfillLimits;
}

export interface InfillLimits {
  /** A line after the first one with less white space at its beginning ends the answer. */
  readonly minIndent: number;
  /** Milliseconds of generation, after which the answer ends once it has a line break. 0: no limit. */
  readonly maxTimeMs: number;
}

export interface InfillAnswer {
  readonly events: AsyncGenerator<AnswerEvent>;
  /** Known when the first event arrives. */
  readonly prompt: () => Omit<GapPrompt, 'tokens'> | undefined;
}

export type Infill = (input: Reported<InfillInput>, signal: AbortSignal) => InfillAnswer;

export function createInfill(services: GenerationServices): Infill {
  return (input, signal) => {
    let prompt: GapPrompt | undefined;
    const { gap, limits, onlyPrompt, fillsGap } = input;
    const noTexts = { prompt: '', suffix: '', system: '', context: [], encodedImages: [] };
    const events = answerRequest(services, input, {
      operation: 'complete',
      ask: (model) =>
        pipe(
          openLater(async () => {
            prompt = await model.tokenizeGap(gap, signal);
            const completion = { ...input, ...noTexts, promptTokens: prompt.tokens, raw: true, fillsGap };
            return model.complete(completion, signal);
          }),
          onlyPrompt ? endAtOnce(services.clock) : limitAnswer(services.clock, limits),
        ),
      prompt: { promptBytes: bytesOf(gap), images: 0 },
    });
    return { events, prompt: () => prompt };
  };
}

function bytesOf({ before, line, after, files }: Gap): number {
  return [before, line, after, ...files.map(({ text }) => text)].reduce(
    (sum, text) => sum + Buffer.byteLength(text),
    0,
  );
}

/** Passes on everything up to a limit, and an end there. */
export function limitAnswer(
  clock: Pick<Clock, 'monotonic'>,
  { minIndent, maxTimeMs }: InfillLimits,
): Step<AnswerEvent, AnswerEvent> {
  const startedAt = clock.monotonic();
  const indent = new IndentWatch(minIndent);
  let started: AnswerStarted | undefined;
  let firstTextAt: number | undefined;
  let generatedTokens = 0;
  return {
    push(event, pass, end) {
      if (event.type === 'started') started = event;
      if (event.type === 'tokens') ({ generatedTokens } = event);
      if (event.type !== 'text') {
        pass(event);
        return;
      }
      const now = clock.monotonic();
      firstTextAt ??= now;
      const kept = indent.take(event.text);
      if (kept.length > 0) pass({ type: 'text', text: kept });
      const isLate = maxTimeMs > 0 && indent.hasLineBreak && now - firstTextAt > maxTimeMs * nanosecondsPerMillisecond;
      if (kept.length === event.text.length && !isLate) return;
      pass(cutDone(started, { startedAt, firstTextAt, now, generatedTokens }));
      end();
    },
  };
}

/** Ends an answer before its first text. */
function endAtOnce(clock: Pick<Clock, 'monotonic'>): Step<AnswerEvent, AnswerEvent> {
  const startedAt = clock.monotonic();
  let started: AnswerStarted | undefined;
  return {
    push(event, pass, end) {
      if (event.type === 'started') {
        started = event;
        pass(event);
        return;
      }
      const now = clock.monotonic();
      pass(cutDone(started, { startedAt, firstTextAt: now, now, generatedTokens: 0 }));
      end();
    },
  };
}

/** Finds the line that is indented less than it must be. The first line begins before the text. */
class IndentWatch {
  readonly #minIndent: number;
  /** The white space of the current line so far; undefined after it. */
  #indent: number | undefined;
  hasLineBreak = false;

  constructor(minIndent: number) {
    this.#minIndent = minIndent;
  }

  /** The part of the text before the line that is indented too little. */
  take(text: string): string {
    for (let index = 0; index < text.length; index++) {
      const character = text[index];
      if (character === '\n') {
        this.hasLineBreak = true;
        this.#indent = 0;
      } else if (this.#indent !== undefined) {
        if (character === ' ' || character === '\t') this.#indent++;
        else if (this.#indent < this.#minIndent) return text.slice(0, index);
        else this.#indent = undefined;
      }
    }
    return text;
  }
}
