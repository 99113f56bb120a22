// hearth run: finds or starts a server, finds or pulls the model, then prints one answer or starts the interactive
// prompt.

import { processEnvironment } from '../../base/config/environment.ts';
import { readEditor } from '../../base/config/terminal-environment.ts';
import { HearthError } from '../../base/errors.ts';
import { loadSetting } from '../../settings/load-settings.ts';
import { readPromptImages } from '../answers/read-prompt-images.ts';
import { requireThinking } from '../answers/require-ability.ts';
import type { CliContext } from '../command.ts';
import { chooseInstalled } from '../models/choose-installed.ts';
import { type FoundModel, findModel } from '../models/find-model.ts';
import { openHistory } from '../repl/input/history-file.ts';
import { runRepl } from '../repl/repl.ts';
import { readInput } from '../terminal.ts';
import { embedText } from './embed-text.ts';
import { answerOnce } from './one-shot.ts';
import { type RunPreferences, readRunOptions } from './run-options.ts';

interface RunInput {
  readonly model: string;
  readonly words: readonly string[];
  /** Flags as parsed by commander. */
  readonly options: Readonly<Record<string, unknown>>;
}

// More than any model's context.
const inputLimit = { maxBytes: 32 * 2 ** 20, tooLong: 'the input exceeds the limit of 32 MiB' };

export async function runModel(context: CliContext, { model: given, words, options: flags }: RunInput): Promise<void> {
  const options = await readRunOptions(flags);
  const { terminal, signal } = context;
  const isPiped = !terminal.stdin.isTerminal;
  // Read first, so that the writer of the pipe does not wait for the server.
  const piped = isPiped ? new TextDecoder().decode(await readInput(terminal.stdin, inputLimit, signal)) : '';
  const prompt = [piped, words.join(' ')].filter((part) => part !== '').join(' ');
  const named = given === '' ? await chooseInstalled(context) : given;
  const run: Run = { context, options, ...(await findModel(context, named, options)) };
  requireThinking(run, options.think, 'leave out --think, or use a model that can, such as ember-thinks');
  await (prompt === '' && !isPiped ? runInteractively(run) : answer(run, prompt));
}

interface Run extends FoundModel {
  readonly context: CliContext;
  readonly options: RunPreferences;
}

const embedsOnly = ({ facts }: Run): boolean =>
  facts.capabilities.includes('embedding') && !facts.capabilities.includes('completion');

async function answer(run: Run, prompt: string): Promise<void> {
  const { context, model, options, facts } = run;
  const { terminal, clock, signal } = context;
  const client = context.client();
  if (embedsOnly(run)) return embedText({ client, terminal, model, text: prompt, options, signal });
  const images = await readPromptImages(prompt, { model, facts });
  for (const note of images.notes) terminal.stderr.write(`${note}\n`);
  return answerOnce({
    client,
    terminal,
    clock,
    model,
    prompt: images.text,
    images: images.images,
    options,
    signal,
  });
}

async function runInteractively(run: Run): Promise<void> {
  const { context, model, options, facts } = run;
  const { terminal, clock, signal } = context;
  if (embedsOnly(run)) return embedText({ client: context.client(), terminal, model, text: '', options, signal });
  if (!terminal.stdout.canRedraw)
    throw new HearthError(
      'bad_request',
      'an interactive session requires a terminal; pass a prompt to print one answer',
    );
  const settings = { environment: processEnvironment, flags: {} };
  const path = loadSetting('nohistory', settings) ? undefined : loadSetting('historyFile', settings);
  const history = await openHistory({ path, clock });
  await runRepl({
    client: context.client(),
    connect: context.connect,
    terminal,
    clock,
    history,
    model,
    facts,
    preferences: options,
    editor: readEditor(processEnvironment),
    signal,
  });
}
