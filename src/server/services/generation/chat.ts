// Continues a conversation.

import type { Reported } from '../../../base/request/request-report.ts';
import type { AnswerEvent } from '../../../inference/model/answer-event.ts';
import type { Conversation } from '../../../inference/model/conversation.ts';
import { type AnswerInput, answerRequest, type PromptSize } from './measure-answer.ts';
import type { GenerationServices } from './prepare-model.ts';

export interface ChatInput extends Conversation, Omit<AnswerInput, 'template'> {}

export type Chat = (input: Reported<ChatInput>, signal: AbortSignal) => AsyncGenerator<AnswerEvent>;

export function createChat(services: GenerationServices): Chat {
  return (input, signal) =>
    answerRequest(services, input, { ask: (model) => model.answer(input, signal), prompt: promptOf(input) });
}

function promptOf({ messages, tools }: ChatInput): PromptSize {
  const texts = messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  const images = messages.reduce((sum, { encodedImages }) => sum + encodedImages.length, 0);
  // The definitions of tools are a part of the prompt.
  return { promptBytes: texts + tools.length * toolBytes, images };
}

const toolBytes = 256;
