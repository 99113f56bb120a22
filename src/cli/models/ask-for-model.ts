// Questions about models in a terminal: a numbered list, answered with a number or a name, and a suggested name, answered
// with yes or no.

import { createInterface } from 'node:readline';
import { HearthError } from '../../base/errors.ts';
import type { TagsResponseBody } from '../../server/dialects/ollama/models/tags-schema.ts';
import { formatByteSize, safeLine } from '../output/format.ts';
import { formatTable, tableWidth } from '../output/table.ts';
import type { Terminal } from '../terminal.ts';

export type OfferedModel = TagsResponseBody['models'][number];

interface Question {
  readonly terminal: Pick<Terminal, 'stdin' | 'stderr'>;
  readonly signal: AbortSignal;
}

interface ModelQuestion extends Question {
  /** At least one, the default first. */
  readonly models: readonly OfferedModel[];
  /** What the model is for. */
  readonly title?: string;
  /** How to name a model without the question. */
  readonly instead: string;
}

export function canAsk({ stdin, stderr }: Question['terminal']): boolean {
  return stdin.isTerminal && stderr.isTerminal;
}

export async function askForModel({ models, title, instead, ...question }: ModelQuestion): Promise<string> {
  const { stderr } = question.terminal;
  const purpose = title === undefined ? '' : ` for ${title}`;
  stderr.write(formatChoices(models, tableWidth(stderr)));
  const chosen = await ask(question, `Model${purpose} (1-${models.length}, default 1): `, (line) =>
    findChoice(line, models),
  );
  if (chosen === undefined) throw new HearthError('bad_request', `no model was chosen; ${instead}`);
  return chosen.name;
}

/** No answer means no. */
export async function askYesOrNo(question: Question, text: string): Promise<boolean> {
  const answer = await ask(question, `${text} (Y/n) `, (line) => {
    const word = line.trim().toLowerCase();
    if (['', 'y', 'yes'].includes(word)) return true;
    return ['n', 'no'].includes(word) ? false : undefined;
  });
  return answer ?? false;
}

/** Asks until `read` accepts a line. Undefined at the end of the input. */
async function ask<T>(
  { terminal: { stdin, stderr }, signal }: Question,
  prompt: string,
  read: (line: string) => T | undefined,
): Promise<T | undefined> {
  stderr.write(prompt);
  const lines = createInterface({ input: stdin.stream, signal });
  try {
    for await (const line of lines) {
      const answer = read(line);
      if (answer !== undefined) return answer;
      stderr.write(prompt);
    }
  } finally {
    lines.close();
    // What follows reads the terminal itself.
    stdin.stream.pause();
  }
  return undefined;
}

function formatChoices(models: readonly OfferedModel[], width: number | undefined): string {
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

function findChoice(line: string, models: readonly OfferedModel[]): OfferedModel | undefined {
  const answer = line.trim();
  if (answer === '') return models[0];
  return models[Number(answer) - 1] ?? models.find(({ name }) => name === answer || name === `${answer}:latest`);
}
