// Continues a conversation.

import type { Reported } from '../../../base/request/request-report.ts';
import type { AnswerEvent } from '../../../inference/model/answer-event.ts';
import type { Conversation } from '../../../inference/model/conversation.ts';
import { type AnswerInput, answerRequest } from './measure-answer.ts';
import type { GenerationServices } from './prepare-model.ts';

export interface ChatInput extends Conversation, Omit<AnswerInput, 'template'> {}

export type Chat = (input: Reported<ChatInput>, signal: AbortSignal) => AsyncGenerator<AnswerEvent>;

export function createChat(services: GenerationServices): Chat {
  return (input, signal) => answerRequest(services, input, (model) => model.answer(input, signal));
}
