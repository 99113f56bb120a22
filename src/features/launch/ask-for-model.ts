// Asks for a model in a terminal: a numbered list, answered with a number or a name.

import { createInterface } from 'node:readline';
import { HearthError } from '../../base/errors.ts';
import { formatByteSize, safeLine } from '../../cli/output/format.ts';
import { formatTable, tableWidth } from '../../cli/output/table.ts';
import type { Terminal } from '../../cli/terminal.ts';
import type { RankedModel } from './rank-models.ts';

interface ModelQuestion {
  readonly terminal: Pick<Terminal, 'stdin' | 'stderr'>;
  /** At least one, the default first. */
  readonly models: readonly RankedModel[];
  readonly title: string;
  readonly signal: AbortSignal;
}

export async function askForModel({ terminal, models, title, signal }: ModelQuestion): Promise<string> {
  const { stdin, stderr } = terminal;
  const prompt = `Model for ${title} (1-${models.length}, default 1): `;
  stderr.write(`${formatChoices(models, tableWidth(stderr))}${prompt}`);
  const lines = createInterface({ input: stdin.stream, signal });
  try {
    for await (const line of lines) {
      const chosen = findChoice(line, models);
      if (chosen !== undefined) return chosen.name;
      stderr.write(prompt);
    }
  } finally {
    lines.close();
    // The program reads the terminal from now on.
    stdin.stream.pause();
  }
  throw new HearthError('bad_request', 'no model was chosen; pass --model');
}

function formatChoices(models: readonly RankedModel[], width: number | undefined): string {
  return formatTable(
    ['', 'NAME', 'SIZE', 'CAPABILITIES'],
    models.map(({ name, size, capabilities = [] }, index) => [
      String(index + 1),
      safeLine(name),
      formatByteSize(size),
      safeLine(capabilities.join(', ')),
    ]),
    { width, optional: ['CAPABILITIES', 'SIZE'] },
  );
}

function findChoice(line: string, models: readonly RankedModel[]): RankedModel | undefined {
  const answer = line.trim();
  if (answer === '') return models[0];
  return models[Number(answer) - 1] ?? models.find(({ name }) => name === answer || name === `${answer}:latest`);
}
