// One exchange: sends the conversation to the server and streams the answer.

import type { Clock } from '../../../base/time/clock.ts';
import type { HearthClient } from '../../../client/client.ts';
import { isCancelled } from '../../../client/client-error.ts';
import type { ChatRequestMessage } from '../../../server/dialects/ollama/generation/chat-schema.ts';
import type { AnswerStatistics } from '../../../server/dialects/ollama/generation/statistics-schema.ts';
import { createAnswerPrinter } from '../../answers/answer-printer.ts';
import { createSpinner } from '../../answers/spinner.ts';
import type { Terminal } from '../../terminal.ts';
import { type PromptSession, toSessionRequest } from './session.ts';

interface ChatExchange {
  readonly client: HearthClient;
  readonly terminal: Terminal;
  readonly clock: Clock;
  /** The last message is the user's. */
  readonly session: PromptSession;
  /** Stops the answer by closing the connection. */
  readonly signal: AbortSignal;
}

interface ExchangeResult {
  /** undefined: there was no text. */
  readonly answer?: ChatRequestMessage;
  readonly statistics?: AnswerStatistics;
  /** The error, if any. An interruption is not an error. */
  readonly failure?: unknown;
}

export async function exchangeMessages(exchange: ChatExchange): Promise<ExchangeResult> {
  const { client, terminal, clock, session, signal } = exchange;
  const spinner = createSpinner(terminal.stdout, clock);
  const printer = createAnswerPrinter(terminal, session.preferences);
  const received = { content: '', thinking: '' };
  let ending: Pick<ExchangeResult, 'statistics' | 'failure'> = {};
  spinner.start();
  try {
    for await (const object of client.chat({ ...toSessionRequest(session), prompt_progress: true }, signal)) {
      const { content = '', thinking = '' }: { content?: string; thinking?: string } = object.message ?? {};
      if (object.prompt_progress !== undefined) spinner.showProgress(object.prompt_progress);
      if (content !== '' || thinking !== '') spinner.stop();
      printer.thinking(thinking);
      printer.content(content);
      received.content += content;
      received.thinking += thinking;
      if (object.done) ending = { statistics: object };
    }
  } catch (error) {
    if (!isCancelled(error)) ending = { failure: error };
  } finally {
    spinner.stop();
    printer.end();
  }
  return { ...answerOf(received), ...ending };
}

function answerOf({ content, thinking }: { content: string; thinking: string }): Pick<ExchangeResult, 'answer'> {
  if (content === '') return {};
  return { answer: { role: 'assistant', content, thinking: thinking || undefined } };
}
