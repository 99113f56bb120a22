// Asks a model all items of a set, and prints how many answers are right.

import { stateFolder } from '../../base/config/state-folder.ts';
import type { CliContext } from '../../cli/command.ts';
import { findModel } from '../../cli/models/find-model.ts';
import { formatElapsed, formatJson, safeLine } from '../../cli/output/format.ts';
import { formatTable, tableWidth } from '../../cli/output/table.ts';
import { showProgress } from '../../cli/progress/show-progress.ts';
import { type AskedModel, askItem, type ItemResult } from './ask-item.ts';
import { EvalState } from './eval-state.ts';
import type { EvalItem } from './item.ts';
import { type Accuracy, sumUp } from './sum-up.ts';

interface EvalRequest {
  readonly model: string;
  /** The path of a task file. Absent: the items that ship with Hearth. */
  readonly task: string | undefined;
  readonly limit: number | undefined;
  readonly json: boolean;
}

interface EvalOutcome {
  readonly model: string;
  readonly items: readonly EvalItem[];
  readonly results: readonly ItemResult[];
}

export async function runEval(context: CliContext, { model, task, limit, json }: EvalRequest): Promise<void> {
  const items = chooseItems(await readItems(task), limit);
  const outcome = await evaluateModel(context, model, items);
  const { stdout } = context.terminal;
  stdout.write(json ? formatJson(toJson(outcome)) : formatOutcome(outcome, tableWidth(stdout)));
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
  return { model, items, results };
}

/** A bar with a digest of zeros counts things that are not bytes. */
const unitless = '0';

async function askAll(
  { terminal: { stderr }, clock, signal }: CliContext,
  asked: AskedModel,
  { items, state }: { readonly items: readonly EvalItem[]; readonly state: EvalState },
): Promise<ItemResult[]> {
  const known = await state.load();
  const progress = showProgress({ screen: stderr, clock });
  const show = (completed: number): void =>
    progress.update({
      status: `evaluating ${safeLine(asked.model)}`,
      digest: unitless,
      total: items.length,
      completed,
    });
  const results: ItemResult[] = [];
  try {
    show(0);
    for (const [index, item] of items.entries()) {
      const before = known.get(index);
      const result = before ?? (await askItem(asked, item, signal));
      if (before === undefined) await state.add(index, result);
      results.push(result);
      show(results.length);
    }
  } finally {
    progress.end();
    if (results.length < items.length && results.length > 0)
      stderr.write(`${results.length} of ${items.length} answers are kept. The same command goes on from there.\n`);
  }
  return results;
}

export function formatOutcome({ items, results }: EvalOutcome, width?: number): string {
  const { categories, all } = sumUp(items, results);
  const rows = categories.length > 1 ? [...categories, all] : [{ ...all, category: categories[0]?.category ?? '' }];
  const head = ['CATEGORY', 'CORRECT', 'ACCURACY', '95% INTERVAL', 'TIME', 'TOKENS/S'];
  return formatTable(head, rows.map(rowOf), { width, optional: ['TOKENS/S', 'TIME', 'CORRECT'] });
}

function rowOf({ category, items, correct, accuracy, low, high, nanoseconds, tokensPerSecond }: Accuracy): string[] {
  return [
    safeLine(category),
    `${correct}/${items}`,
    percent(accuracy),
    `${percent(low)} - ${percent(high)}`,
    formatElapsed(Math.round(nanoseconds / 1e8) * 1e8),
    tokensPerSecond.toFixed(0),
  ];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}

function toJson({ model, items, results }: EvalOutcome): object {
  const { categories, all } = sumUp(items, results);
  const describe = ({ category, ...accuracy }: Accuracy): object => ({
    category,
    items: accuracy.items,
    correct: accuracy.correct,
    accuracy: accuracy.accuracy,
    interval: [accuracy.low, accuracy.high],
    duration: accuracy.nanoseconds,
    tokens_per_second: accuracy.tokensPerSecond,
  });
  const answers = items.map(({ category, prompt }, index) => {
    const { correct, answer } = results[index] as ItemResult;
    return { category, prompt, answer, correct };
  });
  return { model, ...describe(all), categories: categories.map(describe), answers };
}
