// The interactive prompt: reads a line, executes it, and repeats. Errors do not end it; a closed terminal does.

import type { Clock } from '../../base/time/clock.ts';
import type { HearthClient } from '../../client/client.ts';
import { isCancelled } from '../../client/client-error.ts';
import type { ShowResponseBody } from '../../server/dialects/ollama/models/show-schema.ts';
import type { Preferences } from '../answers/preferences.ts';
import { readPromptImages } from '../answers/read-prompt-images.ts';
import { describeDropped, formatStatistics } from '../answers/statistics.ts';
import { wrapText } from '../answers/word-wrap.ts';
import { explain } from '../output/explain.ts';
import { safeText } from '../output/format.ts';
import { styled, type Terminal } from '../terminal.ts';
import { completeInput } from './commands/complete-input.ts';
import { type CommandContext, executeCommand } from './commands/execute-command.ts';
import { parseInput } from './commands/parse-input.ts';
import { editExternally } from './input/external-editor.ts';
import type { History } from './input/history-file.ts';
import { interruptible } from './input/interruptible.ts';
import { createKeyboard } from './input/keyboard.ts';
import { type LinePrompt, openPrompt } from './input/read-line.ts';
import { suspendProcess } from './input/suspend.ts';
import { exchangeMessages } from './session/exchange-messages.ts';
import { type PromptSession, startSession } from './session/session.ts';

interface Repl {
  readonly client: HearthClient;
  /** Starts the server again if this session has started it and it has ended since. */
  readonly connect: () => Promise<unknown>;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly history: History;
  readonly model: string;
  readonly facts: ShowResponseBody;
  readonly preferences: Preferences;
  /** The command of the user's editor. */
  readonly editor: string;
  /** Ends the session. */
  readonly signal: AbortSignal;
}

// Keys wait while Tab asks the server for the names of models.
const listTimeoutMs = 2000;
const interruptHint = 'Use Ctrl + d or /bye to exit.\n';

export async function runRepl(repl: Repl): Promise<void> {
  const { terminal, clock, signal } = repl;
  const keyboard = createKeyboard({ terminal, clock });
  const suspend = () => suspendProcess(keyboard, clock);
  let prompt: LinePrompt | undefined;
  const ended = new AbortController();
  const sessionSignal = AbortSignal.any([signal, ended.signal]);
  const load = createLoader({ repl, signal: sessionSignal, notify: (text) => prompt?.notice(text) });

  const listNames = async (): Promise<string[]> => {
    const expired = new AbortController();
    const timer = clock.after(listTimeoutMs, () => expired.abort());
    try {
      const { models } = await repl.client.list(AbortSignal.any([sessionSignal, expired.signal]));
      return models.map(({ name }) => name);
    } catch {
      return [];
    } finally {
      timer.cancel();
    }
  };
  let session = startSession(repl.model, repl.facts, repl.preferences);
  terminal.stdout.write(replayText(repl.facts));
  keyboard.open();
  const aborted = whenAborted(signal);
  let loading = false;
  try {
    for (;;) {
      prompt = openPrompt({
        keyboard,
        screen: terminal.stdout,
        history: repl.history.entries(),
        suspend,
        edit: (text) => editExternally(text, { keyboard, command: repl.editor }),
        complete: (before) => completeInput(before, listNames),
        errorText: (error) => errorText(terminal, error),
      });
      // After the first prompt is shown, since loading keeps the machine busy.
      if (!loading) load(session);
      loading = true;
      const line = await Promise.race([prompt.line, aborted]);
      prompt = undefined;
      if (line === undefined || line.type === 'exit') return;
      if (line.type === 'interrupt') {
        if (line.text === '') terminal.stdout.write(interruptHint);
        continue;
      }
      await repl.history.add(line.text, session.keepsHistory);
      const next = await interruptible({ keyboard, signal: sessionSignal, suspend }, (stop) =>
        answerLine(line.text, session, { ...repl, signal: stop, load }),
      );
      if (next === undefined) return;
      session = next;
    }
  } finally {
    ended.abort();
    keyboard.close();
  }
}

function whenAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

type Answering = Repl & CommandContext;

/** Returns the new session; undefined ends it. */
async function answerLine(
  line: string,
  session: PromptSession,
  answering: Answering,
): Promise<PromptSession | undefined> {
  const { terminal } = answering;
  const input = parseInput(line);
  if (input.type === 'nothing') return session;
  if (input.type === 'exit') return undefined;
  try {
    await answering.connect();
    switch (input.type) {
      case 'message':
        return await answerMessage(input.text, session, answering);
      default:
        return await executeCommand(input, session, answering);
    }
  } catch (error) {
    if (!isCancelled(error)) terminal.stdout.write(errorText(terminal, error));
    return session;
  }
}

async function answerMessage(text: string, session: PromptSession, answering: Answering): Promise<PromptSession> {
  const { terminal } = answering;
  const prompt = await readPromptImages(text, session);
  for (const note of prompt.notes) terminal.stdout.write(`${note}\n`);
  const message = {
    role: 'user',
    content: prompt.text,
    ...(prompt.images.length === 0 ? {} : { images: [...prompt.images] }),
  };
  const next = { ...session, messages: [...session.messages, message] };
  const { answer, statistics, failure } = await exchangeMessages({ ...answering, session: next });
  terminal.stdout.write('\n');
  if (failure !== undefined) terminal.stdout.write(errorText(terminal, failure));
  if (statistics !== undefined) terminal.stderr.write(describeDropped(statistics));
  if (statistics !== undefined && session.preferences.verbose)
    terminal.stderr.write(`${formatStatistics(statistics)}\n`);
  // A message without an answer is dropped, so that it can be sent again.
  return answer === undefined ? session : { ...next, messages: [...next.messages, answer] };
}

function errorText(terminal: Terminal, error: unknown): string {
  const { stdout } = terminal;
  return wrapText(`${styled(stdout, 'red', 'Error:')} ${explain(error)}\n\n`, stdout.width());
}

interface LoaderOptions {
  readonly repl: Repl;
  readonly signal: AbortSignal;
  readonly notify: (text: string) => void;
}

/** Loads the model in the background. Only errors are shown. */
function createLoader({ repl, signal, notify }: LoaderOptions): (session: PromptSession) => void {
  return (session) => {
    const { keepAlive } = session.preferences;
    const request = { model: session.model, ...(keepAlive === undefined ? {} : { keep_alive: keepAlive }) };
    const load = async (): Promise<void> => {
      for await (const _ of repl.client.generate(request, signal));
    };
    load().catch((error: unknown) => {
      if (!isCancelled(error)) notify(errorText(repl.terminal, error));
    });
  };
}

/** The messages of the model, shown as a conversation. */
function replayText({ messages = [] }: ShowResponseBody): string {
  return messages
    .map(({ role, content }) => {
      if (role === 'user') return `>>> ${safeText(content)}\n`;
      return role === 'assistant' ? `${safeText(content)}\n\n` : '';
    })
    .join('');
}
