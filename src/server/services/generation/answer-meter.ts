// Counts the tokens of an answer for the usage of its request, while it is generated.

import type { Reported } from '../../../base/request/request-report.ts';
import type { ConversationEvent, GenerateEvent } from '../../../inference/engine/ports.ts';

type TextEvent = Extract<GenerateEvent, { type: 'text' }>;
type DoneEvent = Extract<GenerateEvent, { type: 'done' }>;

/** Every text has the number of tokens so far. It is a lower bound if the engine does not count them. */
export type MeteredEvent = Exclude<ConversationEvent, TextEvent> | (TextEvent & { readonly generatedTokens: number });

export interface AnswerMeter {
  /** Counts the events of a generation with this prompt, one by one. An answer may take several generations. */
  open(prompt: string): (event: ConversationEvent) => MeteredEvent;
  /** Replaces the number of generated tokens with the one that the caller gets. */
  correct(generatedTokens: number): void;
}

/** `sharesPrompt`: another answer of the request has the same prompt, and counts it. */
export function openMeter({
  report,
  sharesPrompt = false,
}: Reported<{ readonly sharesPrompt?: boolean }>): AnswerMeter {
  const count = report.openCount();
  let countsPrompt = !sharesPrompt;

  const notePrompt = ({ promptTokens, cachedTokens }: Extract<GenerateEvent, { type: 'started' }>): void => {
    if (countsPrompt) Object.assign(count, { promptTokens, cachedTokens });
    countsPrompt = false;
  };

  const noteEnd = ({ stats, cachedTokens = 0 }: DoneEvent, before: number): void => {
    count.generatedTokens = before + stats.generatedTokens;
    // A remote model counts its prompt at the end.
    if (count.promptTokens === 0 && !sharesPrompt)
      Object.assign(count, { promptTokens: stats.promptTokens, cachedTokens });
  };

  return {
    open(prompt) {
      const addText = report.openExchange(prompt);
      const before = count.generatedTokens;
      let generatedTokens = 0;
      return (event) => {
        if (event.type !== 'text') {
          if (event.type === 'started') notePrompt(event);
          if (event.type === 'done') noteEnd(event, before);
          return event;
        }
        generatedTokens = event.generatedTokens ?? generatedTokens + 1;
        count.generatedTokens = before + generatedTokens;
        addText?.(event.text);
        const { type, text, logprobs } = event;
        return logprobs === undefined ? { type, text, generatedTokens } : { type, text, logprobs, generatedTokens };
      };
    },
    correct(generatedTokens) {
      count.generatedTokens = generatedTokens;
    },
  };
}
