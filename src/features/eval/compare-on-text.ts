// Compares two models on a text, by the server.

import { readFile, stat } from 'node:fs/promises';
import { HearthError } from '../../base/errors.ts';
import type { CliContext } from '../../cli/command.ts';
import { safeLine } from '../../cli/output/format.ts';
import { formatTable } from '../../cli/output/table.ts';
import { showProgress } from '../../cli/progress/show-progress.ts';
import { ClientError } from '../../client/client-error.ts';
import type { ComparisonResponseBody } from '../../server/dialects/hearth/generation/compare-schema.ts';

/** More characters than the server accepts. */
const maxTextBytes = 2 ** 20;

export async function readComparedText(path: string): Promise<string> {
  const { size } = await stat(path);
  if (size > maxTextBytes) throw new HearthError('bad_request', `${path}: more than ${maxTextBytes} bytes`);
  // Like llama-perplexity.
  return (await readFile(path, 'utf8')).replace(/\n$/, '');
}

interface ComparedModels {
  readonly model: string;
  readonly against: string;
  /** Absent: the text that ships with Hearth. */
  readonly text: string | undefined;
}

/** A text says why the models cannot be compared. */
export async function compareOnText(
  { connect, terminal, clock, signal }: CliContext,
  { model, against, text }: ComparedModels,
): Promise<ComparisonResponseBody | string> {
  const client = await connect();
  const progress = showProgress({ screen: terminal.stderr, clock });
  try {
    for await (const part of client.compare({ model, against, text }, signal)) {
      if (part.status === 'success') return part;
      progress.update({ ...part, status: 'comparing on a text', digest: '0' });
    }
    throw new HearthError('request_failed', 'the server has not finished the comparison');
  } catch (error) {
    const isRefused = error instanceof ClientError && (error.code === 'bad_request' || error.code === 'unsupported');
    if (!isRefused) throw error;
    return error.message;
  } finally {
    progress.end();
  }
}

export function formatComparison(comparison: ComparisonResponseBody | string): string {
  if (typeof comparison === 'string') return `Not compared on a text: ${safeLine(comparison)}.\n`;
  const { model, against, tokens } = comparison;
  const estimate = (value: number, error: number, digits: number): string =>
    `${value.toFixed(digits)} +- ${error.toFixed(digits)}`;
  const { perplexity, against_perplexity, kl_divergence, same_top } = comparison;
  const rows = [
    [`perplexity of ${safeLine(model)}`, estimate(perplexity, comparison.perplexity_error, 4)],
    [`perplexity of ${safeLine(against)}`, estimate(against_perplexity, comparison.against_perplexity_error, 4)],
    ['KL divergence', estimate(kl_divergence, comparison.kl_divergence_error, 6)],
    ['same top token', `${estimate(same_top * 100, comparison.same_top_error * 100, 2)}%`],
  ];
  return formatTable([`ON ${tokens} TOKENS`, 'VALUE'], rows);
}
