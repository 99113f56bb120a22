// The prompt: reads a line, does what it asks for, and begins again. Nothing that fails ends it but a terminal that is
// gone.

import type { Clock } from '../../base/time/clock.ts';
import type { HearthClient } from '../../client/client.ts';
import { isCancelled } from '../../client/client-error.ts';
import type { ShowResponseBody } from '../../server/dialects/ollama/models/show-schema.ts';
import { explain } from '../explain.ts';
import { safeText } from '../output/format.ts';
import { formatStatistics } from '../run/printing/statistics.ts';
import { wrapText } from '../run/printing/word-wrap.ts';
import { readImages } from '../run/read-images.ts';
import { styled, type Terminal } from '../terminal.ts';
import { type CommandContext, carryOut } from './commands/execute-command.ts';
import { parseInput } from './commands/parse-input.ts';
import { converse } from './converse.ts';
import type { History } from './input/history-file.ts';
import { interruptible } from './input/interruptible.ts';
import { createKeyboard } from './input/keyboard.ts';
import { openPrompt, type Prompt } from './input/read-line.ts';
import { suspendProcess } from './input/suspend.ts';
import { hasVision, type Preferences, type Session, startSession } from './session.ts';

export interface Repl {
  readonly client: HearthClient;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly history: History;
  readonly model: string;
  readonly facts: ShowResponseBody;
  readonly preferences: Preferences;
  /** Ends the prompt from outside. */
  readonly signal: AbortSignal;
}

const interruptHint = 'Use Ctrl + d or /bye to exit.\n';

export async function converseAtPrompt(repl: Repl): Promise<void> {
  const { terminal, clock, signal } = repl;
  const keyboard = createKeyboard({ terminal, clock });
  let prompt: Prompt | undefined;
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  const load = createLoader({ repl, signal: until, tell: (text) => prompt?.notice(text) });

  let session = startSession(repl.model, repl.facts, repl.preferences);
  terminal.stdout.write(replayText(repl.facts));
  keyboard.open();
  const leave = once(signal, 'abort');
  let begun = false;
  try {
    for (;;) {
      prompt = openPrompt({
        keyboard,
        screen: terminal.stdout,
        history: repl.history.entries(),
        suspend: () => suspendProcess(keyboard),
      });
      // Only now: the first prompt should not wait for a machine that is busy loading.
      if (!begun) load(session);
      begun = true;
      const line = await Promise.race([prompt.line, leave]);
      prompt = undefined;
      if (line === undefined || line.type === 'leave') return;
      if (line.type === 'interrupt') {
        if (line.text === '') terminal.stdout.write(interruptHint);
        continue;
      }
      await repl.history.add(line.text, session.keepsHistory);
      const next = await interruptible({ keyboard, signal: until }, (stop) =>
        answerLine(line.text, session, { ...repl, signal: stop, load }),
      );
      if (next === undefined) return;
      session = next;
    }
  } finally {
    over.abort();
    keyboard.close();
  }
}

function once(signal: AbortSignal, name: 'abort'): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener(name, () => resolve(undefined), { once: true });
  });
}

type Answering = Repl & CommandContext;

/** The session after a line; undefined: it is over. */
async function answerLine(line: string, session: Session, answering: Answering): Promise<Session | undefined> {
  const { terminal } = answering;
  const input = parseInput(line);
  try {
    switch (input.type) {
      case 'nothing':
        return session;
      case 'leave':
        return undefined;
      case 'message':
        return await answerMessage(input.text, session, answering);
      default:
        return await carryOut(input, session, answering);
    }
  } catch (error) {
    if (!isCancelled(error)) terminal.stdout.write(errorText(terminal, error));
    return session;
  }
}

async function answerMessage(text: string, session: Session, answering: Answering): Promise<Session> {
  const { terminal } = answering;
  const prompt = hasVision(session) ? await readImages(text) : { text, images: [], notes: [] };
  for (const note of prompt.notes) terminal.stdout.write(`${note}\n`);
  const question = {
    role: 'user',
    content: prompt.text,
    ...(prompt.images.length === 0 ? {} : { images: [...prompt.images] }),
  };
  const asked = { ...session, messages: [...session.messages, question] };
  const { answer, statistics, failure } = await converse({ ...answering, session: asked });
  terminal.stdout.write('\n');
  if (failure !== undefined) terminal.stdout.write(errorText(terminal, failure));
  if (statistics !== undefined && session.preferences.verbose)
    terminal.stderr.write(`${formatStatistics(statistics)}\n`);
  // A question without an answer is not part of what was said: it can be asked again.
  return answer === undefined ? session : { ...asked, messages: [...asked.messages, answer] };
}

function errorText(terminal: Terminal, error: unknown): string {
  const { stdout } = terminal;
  return wrapText(`${styled(stdout, 'red', 'Error:')} ${explain(error)}\n\n`, stdout.width());
}

interface Loading {
  readonly repl: Repl;
  readonly signal: AbortSignal;
  readonly tell: (text: string) => void;
}

/** Loads in the background: whoever types meanwhile hears of it only if it fails, and who asks has the answer fail. */
function createLoader({ repl, signal, tell }: Loading): (session: Session) => void {
  return (session) => {
    const { keepAlive } = session.preferences;
    const request = { model: session.model, ...(keepAlive === undefined ? {} : { keep_alive: keepAlive }) };
    const load = async (): Promise<void> => {
      for await (const _ of repl.client.generate(request, signal));
    };
    load().catch((error: unknown) => {
      if (!isCancelled(error)) tell(errorText(repl.terminal, error));
    });
  };
}

/** What the model brings along, as if it had just been said. */
function replayText({ messages = [] }: ShowResponseBody): string {
  return messages
    .map(({ role, content }) => {
      if (role === 'user') return `>>> ${safeText(content)}\n`;
      return role === 'assistant' ? `${safeText(content)}\n\n` : '';
    })
    .join('');
}
