// `hearth run` with an embedding model: prints the vector as one line of JSON.

import { HearthError } from '../../base/errors.ts';
import type { HearthClient } from '../../client/client.ts';
import { formatElapsed } from '../output/format.ts';
import type { Terminal } from '../terminal.ts';
import type { RunPreferences } from './run-options.ts';

interface EmbedText {
  readonly client: HearthClient;
  readonly terminal: Terminal;
  readonly model: string;
  readonly text: string;
  readonly options: RunPreferences;
  readonly signal: AbortSignal;
}

export async function embedText({ client, terminal, model, text, options, signal }: EmbedText): Promise<void> {
  const { truncate, dimensions, keepAlive, verbose } = options;
  if (text === '')
    throw new HearthError('bad_request', `'${model}' is an embedding model: try \`hearth run ${model} "some text"\``);
  const answer = await client.embed(
    {
      model,
      input: text,
      truncate,
      dimensions,
      keep_alive: keepAlive,
    },
    signal,
  );
  terminal.stdout.write(`${JSON.stringify(answer.embeddings[0] ?? [])}\n`);
  if (!verbose) return;
  const { total_duration = 0, load_duration = 0, prompt_eval_count = 0 } = answer;
  terminal.stderr.write(
    `\ntotal duration:       ${formatElapsed(total_duration)}\nload duration:        ${formatElapsed(load_duration)}\n` +
      `prompt eval count:    ${prompt_eval_count} token(s)\n`,
  );
}
