import { expect, test } from 'vitest';
import { choosePair, differenceOf, type EvalResult, findComparison, pairRows } from './pair-results.ts';

const judged = (category: string, correct: number, items = 10) => ({
  ...{ category, items, correct, duration: 1, tokens: 1, tokens_per_second: 1 },
  accuracy: correct / items,
  interval: [0, 1],
});

function result(model: string, categories: Readonly<Record<string, number>>): EvalResult {
  const rows = Object.entries(categories).map(([name, correct]) => judged(name, correct));
  const correct = rows.reduce((sum, row) => sum + row.correct, 0);
  return { model, created_at: '', categories: rows, all: judged('all', correct, rows.length * 10) };
}

const small = result('small', { facts: 4, reading: 5 });
const large = result('large', { facts: 9, sums: 7 });

test('the last result and the last one of another model are chosen', () => {
  expect(choosePair([small, result('small', {}), large])).toEqual([0, 2]);
  expect(choosePair([small])).toEqual([0, -1]);
  expect(choosePair([])).toEqual([-1, -1]);
});

test('rows have the categories of both, and the sums at the end', () => {
  const rows = pairRows(small, large);
  expect(rows.map(({ category }) => category)).toEqual(['facts', 'reading', 'sums', 'all']);
  expect(rows.map(differenceOf)).toEqual(['-50.0 %', '', '', '-35.0 %']);
  expect(pairRows(large, small).map(differenceOf)[0]).toBe('+50.0 %');
  expect(pairRows(small, undefined).map(differenceOf)).toEqual(['', '', '']);
});

test('a comparison belongs to two models in their order', () => {
  const figures = { perplexity: 1, perplexity_error: 0, against_perplexity: 1, against_perplexity_error: 0 };
  const rest = { kl_divergence: 0, kl_divergence_error: 0, same_top: 1, same_top_error: 0, tokens: 9 };
  const comparison = { model: 'small', against: 'large', ...figures, ...rest };
  expect(findComparison([comparison], ['small', 'large'])).toBe(comparison);
  expect(findComparison([comparison], ['large', 'small'])).toBeUndefined();
});
