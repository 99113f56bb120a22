// Why an answer ended before it was complete, for its message.

import { ApiError, messageOf } from '../../api/api-error.ts';
import type { Answer } from '../../conversation/answer.ts';
import type { AnswerRequest, ChatMessage } from '../../conversation/chat-document.ts';

export interface AnswerState {
  readonly answer: Answer;
  /** undefined: the server has not accepted it. */
  readonly request: AnswerRequest | undefined;
  /** By the user. */
  readonly isStopped: boolean;
}

export function describeEnd(error: unknown, state: AnswerState): Partial<ChatMessage> {
  const { code, status } = error instanceof ApiError ? error : { code: '', status: 0 };
  // Another page can cancel it, too.
  if (state.isStopped || code === 'cancelled') return stopped(state.answer);
  if (code === 'request_not_found')
    return { error: 'The server does not have the rest of this answer.', ...rest(state) };
  return { error: messageOf(error), ...(status === 0 ? rest(state) : {}) };
}

function stopped({ content, thinking }: Answer): Partial<ChatMessage> {
  const isEmpty = content === '' && thinking === '';
  return isEmpty ? { error: 'Stopped before the first text.' } : { stats: { done_reason: 'stopped' } };
}

/** The answer may be there when the user comes back. */
function rest({ answer, request }: AnswerState): Partial<ChatMessage> {
  return request === undefined ? {} : { request: { ...request, received: answer.received } };
}
