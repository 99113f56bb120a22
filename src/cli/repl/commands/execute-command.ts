// Executes the commands of the prompt. Each command returns the new session.

import type { Clock } from '../../../base/time/clock.ts';
import type { HearthClient } from '../../../client/client.ts';
import { readFormat } from '../../answers/read-format.ts';
import { wrapText } from '../../answers/word-wrap.ts';
import { withModelHint } from '../../output/explain.ts';
import { safeLine } from '../../output/format.ts';
import { formatModelInfo } from '../../output/model-info.ts';
import { formatModels } from '../../output/model-table.ts';
import type { Terminal } from '../../terminal.ts';
import { hasVision, type PromptSession, switchModel, toCreateRequest } from '../session/session.ts';
import { helpText } from './help-text.ts';
import type { Input } from './parse-input.ts';
import { type Changed, setFormat, setParameter, setSwitch, setSystem, setThink } from './set-command.ts';
import { showText } from './show-command.ts';

export interface CommandContext {
  readonly client: HearthClient;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Loads a model in the background. */
  readonly load: (session: PromptSession) => void;
}

type ReplCommand = Exclude<Input, { type: 'nothing' | 'message' | 'exit' }>;

/** Throws errors for the user; the session is then unchanged. */
export async function executeCommand(
  command: ReplCommand,
  session: PromptSession,
  context: CommandContext,
): Promise<PromptSession> {
  const { stdout } = context.terminal;
  const print = (text: string): void => stdout.write(text);
  const printWrapped = (text: string): void => print(wrapText(text, stdout.width()));
  switch (command.type) {
    case 'help':
      print(`${helpText(command.topic, { supportsVision: hasVision(session), columns: stdout.width() })}\n`);
      return session;
    case 'error':
      printWrapped(`${command.text}\n`);
      return session;
    case 'clear':
      print('Cleared session context\n');
      return { ...session, messages: [] };
    case 'list':
      print(formatModels((await context.client.list(context.signal)).models, context.clock.now(), stdout.width()));
      return session;
    case 'load':
      return loadModel(session, command.model, context);
    case 'save':
      return saveModel(session, command.model, context);
    case 'show':
      print(command.topic === 'info' ? formatModelInfo(session.facts) : showText(session, command.topic));
      return session;
    default: {
      const changed = await changeSession(command, session);
      printWrapped(`${changed.reply}\n`);
      return changed.session;
    }
  }
}

type SetCommand = Extract<
  ReplCommand,
  { type: 'set-parameter' | 'set-system' | 'set-format' | 'set-think' | 'set-switch' }
>;

async function changeSession(command: SetCommand, session: PromptSession): Promise<Changed> {
  switch (command.type) {
    case 'set-parameter':
      return setParameter(session, command);
    case 'set-system':
      return setSystem(session, command.text);
    case 'set-think':
      return setThink(session, command.think);
    case 'set-switch':
      return setSwitch(session, command);
    case 'set-format':
      return setFormat(session, command.format === undefined ? undefined : await readFormat(command.format));
  }
}

async function loadModel(session: PromptSession, model: string, context: CommandContext): Promise<PromptSession> {
  const { client, terminal, signal, load } = context;
  terminal.stdout.write(`Loading model '${safeLine(model)}'\n`);
  const facts = await withModelHint(client, model, client.show({ model }, signal));
  const next = switchModel(session, model, facts);
  load(next);
  return next;
}

async function saveModel(session: PromptSession, name: string, context: CommandContext): Promise<PromptSession> {
  const { client, terminal, signal } = context;
  for await (const _ of client.create(toCreateRequest(session, name), signal));
  terminal.stdout.write(`Created new model '${safeLine(name)}'\n`);
  return session;
}
