// Sends the result of an evaluation to the server, which keeps it for its web page.

import { messageOf } from '../../base/errors.ts';
import type { CliContext } from '../../cli/command.ts';
import { safeLine } from '../../cli/output/format.ts';
import { ClientError } from '../../client/client-error.ts';
import type { ComparisonResponseBody } from '../../server/dialects/hearth/generation/compare-schema.ts';
import type { StoreEvalRequestBody } from './evals-schema.ts';
import { type EvalOutcome, sumUp } from './sum-up.ts';

/** A server that does not keep results: the key may not store them, or it is older. */
const refusals: ReadonlySet<number> = new Set([403, 404, 405]);
/** As in the schema. */
const maxCategories = 64;

export async function storeOutcomes(
  { connect, terminal, signal }: CliContext,
  outcomes: readonly EvalOutcome[],
  comparison?: ComparisonResponseBody | string,
): Promise<void> {
  const results = outcomes.flatMap(toResult);
  const compared = typeof comparison === 'object' ? toComparison(comparison) : undefined;
  if (results.length === 0 && compared === undefined) return;
  try {
    await (await connect()).storeEval({ results, comparison: compared }, signal);
  } catch (error) {
    if (error instanceof ClientError && error.status !== undefined && refusals.has(error.status)) return;
    terminal.stderr.write(`The result is not stored on the server: ${safeLine(messageOf(error))}\n`);
  }
}

function toResult({ model, digest, items, results }: EvalOutcome): StoreEvalRequestBody['results'] {
  if (items.length === 0) return [];
  const { categories } = sumUp(items, results);
  if (categories.length > maxCategories) return [];
  return [
    {
      model,
      digest: digest === '' ? undefined : digest,
      categories: categories.map(({ category, items: count, correct, nanoseconds, tokens }) => ({
        category: category.slice(0, 100),
        items: count,
        correct,
        duration: Math.round(nanoseconds),
        tokens,
      })),
    },
  ];
}

function toComparison({
  status: _,
  chunks: __,
  ...figures
}: ComparisonResponseBody): NonNullable<StoreEvalRequestBody['comparison']> {
  return figures;
}
