// Counts the tokens of the prompt that a chat request would have.

import { HearthError } from '../../../base/errors.ts';
import type { Reported } from '../../../base/request/request-report.ts';
import { acquireModel, type GenerationServices, hasForeignTemplate, prepareModel } from '../models/prepare-model.ts';
import { resolveThink } from './answer-thinking.ts';
import type { ChatInput } from './chat.ts';
import { buildCompletePrompt, checkCapabilities, readMessages } from './chat-prompt.ts';
import { offeredTools } from './tool-choice.ts';

export type CountPrompt = (input: Reported<ChatInput>, signal: AbortSignal) => Promise<number>;

/** Loads the model as the chat request would: the request usually follows. */
export function createCountPrompt(services: GenerationServices): CountPrompt {
  return async (input, signal) => {
    const tools = offeredTools(input.tools, input.toolChoice ?? 'auto');
    const prepared = await prepareModel(services, { ...input, template: '', task: 'chat' });
    if (hasForeignTemplate(prepared)) {
      const message = `${prepared.model.displayName} runs on a remote, which does not count the tokens of conversations`;
      throw new HearthError('unsupported', message);
    }
    checkCapabilities({ ...input, tools }, prepared);
    const messages = await readMessages(input.messages, services.convertWebp);
    const { lease, release } = await acquireModel(services, prepared, input.keepAlive, signal);
    try {
      const think = resolveThink(prepared.template, input.think);
      const { prompt, images } = await buildCompletePrompt({ ...input, tools }, { messages, prepared, lease, think });
      return await lease.countTokens(prompt, images.length);
    } finally {
      release();
    }
  };
}
