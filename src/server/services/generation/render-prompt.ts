// The prompt of a chat or generate request, which is not run: what the model would be given.

import type { Reported } from '../../../base/request/request-report.ts';
import type { Model, RenderedPrompt } from '../../../inference/model/model.ts';
import { checkRaw, type GenerateInput } from './generate.ts';
import type { AnswerInput, ChatInput } from './measure-answer.ts';
import { type GenerationServices, prepareModel } from './prepare-model.ts';

export interface RenderPrompt {
  ofChat(input: Reported<ChatInput>, signal: AbortSignal): Promise<RenderedPrompt>;
  ofGenerate(input: Reported<GenerateInput>, signal: AbortSignal): Promise<RenderedPrompt>;
}

/** Loads the model as the request would: the length of its context decides which messages are in the prompt. */
export function createRenderPrompt(services: GenerationServices): RenderPrompt {
  const withModel = async <T>(input: Reported<AnswerInput>, use: (model: Model) => Promise<T>): Promise<T> => {
    const model = await prepareModel(services, { ...input, startedAt: services.clock.monotonic() });
    try {
      return await use(model);
    } finally {
      model.release();
    }
  };
  return {
    ofChat: (input, signal) => withModel(input, (model) => model.renderAnswer(input, signal)),
    ofGenerate: (input, signal) =>
      withModel(input, (model) => {
        checkRaw(input);
        return model.renderCompletion(input, signal);
      }),
  };
}
