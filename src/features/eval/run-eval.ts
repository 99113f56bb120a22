// Asks one or two models all items of a set, and prints how many answers are right.

import { stateFolder } from '../../base/config/state-folder.ts';
import type { CliContext } from '../../cli/command.ts';
import { findModel } from '../../cli/models/find-model.ts';
import { formatJson, safeLine } from '../../cli/output/format.ts';
import { tableWidth } from '../../cli/output/table.ts';
import { showProgress } from '../../cli/progress/show-progress.ts';
import { type AskedModel, askItem, type ItemResult } from './ask-item.ts';
import { EvalState } from './eval-state.ts';
import { formatBoth, formatOutcome, toOutcomeJson } from './format-outcome.ts';
import type { EvalItem } from './item.ts';
import { storeOutcomes } from './store-outcomes.ts';
import type { EvalOutcome } from './sum-up.ts';

interface EvalRequest {
  readonly model: string;
  /** The model that it is compared with. */
  readonly against: string | undefined;
  /** The path of a text for the comparison. Absent: the text that ships with Hearth. */
  readonly text: string | undefined;
  /** The path of a task file. Absent: the items that ship with Hearth. */
  readonly task: string | undefined;
  readonly limit: number | undefined;
  readonly json: boolean;
}

export async function runEval(context: CliContext, request: EvalRequest): Promise<void> {
  const { against, task, limit, json } = request;
  const { stdout } = context.terminal;
  const items = chooseItems(await readItems(task), limit);
  if (against !== undefined) return compare(context, { ...request, against, items });
  const outcome = await evaluateModel(context, request.model, items);
  stdout.write(json ? formatJson(toOutcomeJson(outcome)) : formatOutcome(outcome, tableWidth(stdout)));
  await storeOutcomes(context, [outcome]);
}

async function compare(
  context: CliContext,
  request: EvalRequest & { readonly against: string; readonly items: readonly EvalItem[] },
): Promise<void> {
  const { compareOnText, formatComparison, readComparedText } = await import('./compare-on-text.ts');
  const { items, json } = request;
  const text = request.text === undefined ? undefined : await readComparedText(request.text);
  const outcome = await evaluateModel(context, request.model, items);
  const other = await evaluateModel(context, request.against, items);
  const comparison = await compareOnText(context, { model: outcome.model, against: other.model, text });
  const { stdout } = context.terminal;
  if (json) stdout.write(formatJson({ ...toOutcomeJson(outcome), against: toOutcomeJson(other), comparison }));
  else {
    if (items.length > 0) stdout.write(`${formatBoth(outcome, other)}\n`);
    stdout.write(formatComparison(comparison));
  }
  await storeOutcomes(context, [outcome, other], comparison);
}

async function readItems(task: string | undefined): Promise<readonly EvalItem[]> {
  if (task !== undefined) return (await import('./task-file.ts')).readTaskFile(task);
  return (await import('./shipped-items.ts')).shippedItems;
}

/** The chosen ones are spread over all, so that each category has its share. */
export function chooseItems(items: readonly EvalItem[], limit = items.length): EvalItem[] {
  const count = Math.min(limit, items.length);
  return Array.from({ length: count }, (_, index) => items[Math.floor((index * items.length) / count)] as EvalItem);
}

async function evaluateModel(context: CliContext, given: string, items: readonly EvalItem[]): Promise<EvalOutcome> {
  const client = await context.connect();
  const { model, facts } = await findModel(context, given);
  const { models } = await client.list(context.signal);
  const digest = models.find(({ name }) => name === model || name === `${model}:latest`)?.digest ?? '';
  const state = new EvalState(stateFolder(), { model, digest, items });
  const asked = { client, model, thinks: facts.capabilities.includes('thinking') };
  const results = await askAll(context, asked, { items, state });
  await state.remove();
  return { model, digest, items, results };
}

/** A bar with a digest of zeros counts things that are not bytes. */
const unitless = '0';

async function askAll(
  { terminal: { stderr }, clock, signal }: CliContext,
  asked: AskedModel,
  { items, state }: { readonly items: readonly EvalItem[]; readonly state: EvalState },
): Promise<ItemResult[]> {
  const results: ItemResult[] = [];
  if (items.length === 0) return results;
  const known = await state.load();
  const progress = showProgress({ screen: stderr, clock });
  const status = `evaluating ${safeLine(asked.model)}`;
  const show = (): void =>
    progress.update({ status, digest: unitless, total: items.length, completed: results.length });
  try {
    show();
    for (const [index, item] of items.entries()) {
      const before = known.get(index);
      const result = before ?? (await askItem(asked, item, signal));
      if (before === undefined) await state.add(index, result);
      results.push(result);
      show();
    }
  } finally {
    progress.end();
    if (results.length < items.length && results.length > 0)
      stderr.write(`${results.length} of ${items.length} answers are kept. The same command goes on from there.\n`);
  }
  return results;
}
