// The result of an evaluation as tables and as JSON.

import { formatElapsed, safeLine } from '../../cli/output/format.ts';
import { formatTable } from '../../cli/output/table.ts';
import { type Accuracy, type EvalOutcome, sumUp } from './sum-up.ts';

export function formatOutcome(outcome: EvalOutcome, width?: number): string {
  const rows = accuraciesOf(outcome).map((accuracy) => {
    const { category, items, correct, low, high, nanoseconds, tokensPerSecond } = accuracy;
    return [
      safeLine(category),
      `${correct}/${items}`,
      percent(accuracy.accuracy),
      `${percent(low)} - ${percent(high)}`,
      formatElapsed(Math.round(nanoseconds / 1e8) * 1e8),
      tokensPerSecond.toFixed(0),
    ];
  });
  const head = ['CATEGORY', 'CORRECT', 'ACCURACY', '95% INTERVAL', 'TIME', 'TOKENS/S'];
  return formatTable(head, rows, { width, optional: ['TOKENS/S', 'TIME', 'CORRECT'] });
}

/** Both have the same items. */
export function formatBoth(outcome: EvalOutcome, other: EvalOutcome): string {
  const others = accuraciesOf(other);
  const rows = accuraciesOf(outcome).map(({ category, accuracy }, index) => {
    const difference = accuracy - (others[index]?.accuracy ?? 0);
    const sign = difference > 0 ? '+' : '';
    return [safeLine(category), percent(accuracy), percent(accuracy - difference), sign + percent(difference)];
  });
  return formatTable(['CATEGORY', safeLine(outcome.model), safeLine(other.model), 'DIFFERENCE'], rows);
}

/** The last one is over all items. */
function accuraciesOf({ items, results }: EvalOutcome): Accuracy[] {
  const { categories, all } = sumUp(items, results);
  const [only] = categories;
  return categories.length === 1 && only !== undefined ? [only] : [...categories, all];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}

export function toOutcomeJson({ model, items, results }: EvalOutcome): object {
  if (items.length === 0) return { model };
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
    const result = results[index];
    return { category, prompt, answer: result?.answer, correct: result?.correct };
  });
  return { model, ...describe(all), categories: categories.map(describe), answers };
}
