// What drafts gain or lose, with costs that were measured (docs/adr/0033): the time of an answer with them in units of a
// pass with one token.

import { describe, expect, test } from 'vitest';
import { createNgramDrafter } from './ngram-drafter.ts';
import { createPassCosts, type PassCosts } from './pass-costs.ts';

/** Cost of a pass by its rows, at some length of the context. */
type CostTable = Readonly<Record<number, number>>;

const measured: Readonly<Record<string, CostTable>> = {
  'Ember, short context': { 1: 1, 2: 1.53, 4: 1.68, 8: 2.53, 16: 3.78, 32: 6.56, 64: 12.55 },
  'Ember, 2,000 cells': { 1: 1, 2: 2.09, 4: 2.82, 8: 5.69, 16: 10.2, 32: 20.41, 64: 12.41 },
  'Ember, 3,600 cells': { 1: 1, 2: 1.59, 4: 2.74, 8: 6.34, 16: 13.09, 32: 21.96, 64: 12.74 },
  '500M, short context': { 1: 1, 2: 1.7, 4: 1.72, 8: 2.75, 16: 3.82, 32: 5.97, 64: 10.75 },
  '500M, 2,000 cells': { 1: 1, 2: 1.88, 4: 2.72, 8: 4.31, 16: 7.26, 32: 14.81, 64: 14.23 },
  '500M, 3,600 cells': { 1: 1, 2: 1.52, 4: 2.23, 8: 4.32, 16: 7.21, 32: 15.86, 64: 10.87 },
};

const answerLength = 512;
const fileLength = 2000;

/** A file of which every `period`-th token is another one in the answer. */
const edited = (period: number) => (index: number) => (index % period === period - 1 ? 100_000 + index : index);
/** Phrases of some length that all occur in the prompt, in another order each time. */
const phrases = (length: number) => (index: number) => {
  const phrase = (Math.floor(index / length) * 37) % Math.floor(fileLength / length);
  return phrase * length + (index % length);
};
const workloads: readonly (readonly [string, (index: number) => number])[] = [
  ['every 50th token edited', edited(50)],
  ['every 26th token edited', edited(26)],
  ['every 14th token edited', edited(14)],
  ['phrases of 13 tokens', phrases(13)],
  ['phrases of 16 tokens', phrases(16)],
  ['phrases of 30 tokens', phrases(30)],
  ['nothing repeated', (index) => 200_000 + index],
];

/** The speed of an answer with drafts, relative to the same without. */
function speedOf(costs: PassCosts, table: CostTable, tokenAt: (index: number) => number): number {
  const drafter = createNgramDrafter(costs);
  const tokens = Array.from({ length: fileLength }, (_, index) => index);
  let time = 0;
  let generated = 0;
  while (generated < answerLength) {
    const room = answerLength - generated - 1;
    const draft = drafter.draft(tokens, { generated, room });
    const wrong = draft.findIndex((token, index) => token !== tokenAt(generated + index));
    const accepted = wrong === -1 ? draft.length : wrong;
    const rows = 1 + draft.length;
    const cost = table[rows] as number;
    time += cost;
    costs.observe({ rows, cells: tokens.length, nanoseconds: 1000 * cost });
    if (draft.length > 0) drafter.learn({ drafted: draft.length, accepted }, tokens.length);
    for (let index = 0; index <= accepted; index++) tokens.push(tokenAt(generated + index));
    generated += accepted + 1;
  }
  return generated / time;
}

/** The speed of an answer after one that has measured the costs. */
function measuredSpeed(table: CostTable, tokenAt: (index: number) => number): number {
  const costs = createPassCosts();
  speedOf(costs, table, tokenAt);
  return speedOf(costs, table, tokenAt);
}

describe.each(Object.entries(measured))('%s', (_, table) => {
  test.each(workloads)('an answer is not slower with drafts: %s', (_name, tokenAt) => {
    expect(measuredSpeed(table, tokenAt)).toBeGreaterThanOrEqual(0.98);
  });

  test('an answer that quotes most of its prompt is much faster', () => {
    expect(measuredSpeed(table, edited(50))).toBeGreaterThanOrEqual(1.8);
  });
});
