// Counts the tokens of the prompt that a chat request would have.

import type { Reported } from '../../../base/request/request-report.ts';
import type { ChatInput } from './measure-answer.ts';
import { type GenerationServices, prepareModel } from './prepare-model.ts';

export type CountPrompt = (input: Reported<ChatInput>, signal: AbortSignal) => Promise<number>;

/** Loads the model as the chat request would: the request usually follows. */
export function createCountPrompt(services: GenerationServices): CountPrompt {
  return async (input, signal) => {
    const model = await prepareModel(services, { ...input, startedAt: services.clock.monotonic() });
    try {
      return await model.countPrompt(input, signal);
    } finally {
      model.release();
    }
  };
}
