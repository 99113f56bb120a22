// `hearth run MODEL PROMPT`: streams one answer.

import type { Clock } from '../../base/time/clock.ts';
import type { HearthClient } from '../../client/client.ts';
import type { GenerateRequestBody } from '../../server/dialects/ollama/generation/generate-schema.ts';
import { createAnswerPrinter } from '../answers/answer-printer.ts';
import { createSpinner } from '../answers/spinner.ts';
import { describeDropped, formatStatistics } from '../answers/statistics.ts';
import type { Terminal } from '../terminal.ts';
import type { RunPreferences } from './run-options.ts';

interface OneShot {
  readonly client: HearthClient;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly model: string;
  /** Empty: only loads the model. */
  readonly prompt: string;
  /** Base64. */
  readonly images: readonly string[];
  readonly options: RunPreferences;
  readonly signal: AbortSignal;
}

export async function answerOnce(input: OneShot): Promise<void> {
  const { client, terminal, clock, options, signal } = input;
  const printer = createAnswerPrinter(terminal, options);
  // If the answer goes to a pipe, standard error may still be a terminal.
  const spinner = createSpinner(terminal.stdout.isTerminal ? terminal.stdout : terminal.stderr, clock);
  spinner.start();
  try {
    for await (const object of client.generate(toRequest(input), signal)) {
      const { thinking = '' } = object as { readonly thinking?: string };
      if (object.prompt_progress !== undefined) spinner.showProgress(object.prompt_progress);
      if (object.response !== '' || thinking !== '') spinner.stop();
      printer.thinking(thinking);
      printer.content(object.response);
      if (!object.done) continue;
      const dropped = describeDropped(object);
      if (dropped === '' && !options.verbose) continue;
      spinner.stop();
      printer.end();
      terminal.stderr.write(dropped);
      if (options.verbose) terminal.stderr.write(`\n${formatStatistics(object)}`);
    }
  } finally {
    spinner.stop();
    printer.end();
  }
}

function toRequest({ model, prompt, images, options }: OneShot): GenerateRequestBody {
  const { format, think, keepAlive } = options;
  return {
    model,
    prompt,
    images: images.length === 0 ? undefined : [...images],
    format,
    think,
    keep_alive: keepAlive,
    prompt_progress: prompt === '' ? undefined : true,
  };
}
