// Carries out the commands of the prompt. Each gives the session as it is then.

import type { Clock } from '../../../base/time/clock.ts';
import type { HearthClient } from '../../../client/client.ts';
import { formatModels } from '../../commands/list.ts';
import { withModelHint } from '../../explain.ts';
import { safeLine } from '../../output/format.ts';
import { formatModelInfo } from '../../output/model-info.ts';
import { wrapText } from '../../run/printing/word-wrap.ts';
import { readFormat } from '../../run/run-options.ts';
import type { Terminal } from '../../terminal.ts';
import { hasVision, type Session, toCreateRequest, withModel } from '../session.ts';
import { helpText } from './help-text.ts';
import type { Input } from './parse-input.ts';
import { type Changed, setFormat, setParameter, setSwitch, setSystem, setThink } from './set-command.ts';
import { showText } from './show-command.ts';

export interface CommandContext {
  readonly client: HearthClient;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Begins to load a model, and does not wait for it. */
  readonly load: (session: Session) => void;
}

export type ReplCommand = Exclude<Input, { type: 'nothing' | 'message' | 'leave' }>;

/** Throws what the person at the prompt should read; the session is then as it was. */
export async function carryOut(command: ReplCommand, session: Session, context: CommandContext): Promise<Session> {
  const { stdout } = context.terminal;
  const say = (text: string): void => stdout.write(text);
  const sayWrapped = (text: string): void => say(wrapText(text, stdout.width()));
  switch (command.type) {
    case 'help':
      say(`${helpText(command.topic, { supportsVision: hasVision(session), columns: stdout.width() })}\n`);
      return session;
    case 'mistake':
      sayWrapped(`${command.text}\n`);
      return session;
    case 'clear':
      say('Cleared session context\n');
      return { ...session, messages: [] };
    case 'list':
      say(formatModels((await context.client.list(context.signal)).models, context.clock.now()));
      return session;
    case 'load':
      return loadModel(session, command.model, context);
    case 'save':
      return saveModel(session, command.model, context);
    case 'show':
      say(command.topic === 'info' ? formatModelInfo(session.facts) : showText(session, command.topic));
      return session;
    default: {
      const changed = await change(command, session);
      sayWrapped(`${changed.reply}\n`);
      return changed.session;
    }
  }
}

type SetCommand = Extract<
  ReplCommand,
  { type: 'set-parameter' | 'set-system' | 'set-format' | 'set-think' | 'set-switch' }
>;

async function change(command: SetCommand, session: Session): Promise<Changed> {
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

async function loadModel(session: Session, model: string, context: CommandContext): Promise<Session> {
  const { client, terminal, signal, load } = context;
  terminal.stdout.write(`Loading model '${safeLine(model)}'\n`);
  const facts = await withModelHint(model, client.show({ model }, signal));
  const next = withModel(session, model, facts);
  load(next);
  return next;
}

async function saveModel(session: Session, name: string, context: CommandContext): Promise<Session> {
  const { client, terminal, signal } = context;
  for await (const _ of client.create(toCreateRequest(session, name), signal));
  terminal.stdout.write(`Created new model '${safeLine(name)}'\n`);
  return session;
}
