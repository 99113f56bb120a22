// One exchange: the conversation goes to the server, the answer comes back piece by piece and can be stopped.

import type { ChatRequestMessage } from '../../api/chat.ts';
import type { AnswerStatistics } from '../../api/statistics.ts';
import type { HearthClient } from '../../client/client.ts';
import { isCancelled } from '../../client/client-error.ts';
import type { Clock } from '../../kernel/clock.ts';
import { createAnswerPrinter } from '../run/answer-printer.ts';
import { createSpinner } from '../run/spinner.ts';
import type { Terminal } from '../terminal.ts';
import type { Key } from './editor/keys.ts';
import type { Keyboard } from './keyboard.ts';
import { type Session, toChatRequest } from './session.ts';

export interface Exchange {
  readonly client: HearthClient;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly keyboard: Keyboard;
  /** Its last message is the one to answer. */
  readonly session: Session;
  readonly signal: AbortSignal;
}

export interface ExchangeResult {
  /** undefined: nothing was said. */
  readonly answer?: ChatRequestMessage;
  readonly statistics?: AnswerStatistics;
  /** What went wrong, if anything; an interruption is nothing wrong. */
  readonly failure?: unknown;
}

export async function converse({
  client,
  terminal,
  clock,
  keyboard,
  session,
  signal,
}: Exchange): Promise<ExchangeResult> {
  const stopped = new AbortController();
  const release = keyboard.take((keys) => stopOnInterrupt(keys, stopped));
  const spinner = createSpinner(terminal.stdout, clock);
  const printer = createAnswerPrinter(terminal, session.preferences);
  let content = '';
  let thinking = '';
  let statistics: AnswerStatistics | undefined;
  let failure: unknown;
  spinner.start();
  try {
    for await (const object of client.chat(toChatRequest(session), AbortSignal.any([signal, stopped.signal]))) {
      const message = object.message as { content?: string; thinking?: string } | undefined;
      const said = message?.content ?? '';
      const thought = message?.thinking ?? '';
      if (said !== '' || thought !== '') spinner.stop();
      printer.thinking(thought);
      printer.content(said);
      content += said;
      thinking += thought;
      if (object.done) statistics = object;
    }
  } catch (error) {
    if (!isCancelled(error)) failure = error;
  } finally {
    release();
    spinner.stop();
    printer.end();
  }
  return {
    ...(content === '' ? {} : { answer: { role: 'assistant', content, ...(thinking === '' ? {} : { thinking }) } }),
    ...(statistics === undefined ? {} : { statistics }),
    ...(failure === undefined ? {} : { failure }),
  };
}

/** Ctrl-C closes the connection, which is how a server learns that nobody listens. The other keys wait for the prompt. */
function stopOnInterrupt(keys: readonly Key[], stopped: AbortController): readonly Key[] {
  const isInterrupt = (key: Key): boolean => key.type === 'press' && (key.name === 'ctrl-c' || key.name === 'hangup');
  const place = keys.findIndex(isInterrupt);
  if (place === -1) return keys;
  stopped.abort();
  // What was typed before it was typed to be given up.
  return keys.slice(place).filter((key) => key.type !== 'press' || key.name !== 'ctrl-c');
}
