import { describe, expect, test } from 'vitest';
import { createFakeClock } from '../../../../../test/support/fake-clock.ts';
import { createDraftHistory } from './draft-history.ts';
import { createModelDrafter } from './model-drafter.ts';
import { createPassCosts, type PassCosts } from './pass-costs.ts';

const tokens = [1, 2, 3];
const room = { generated: 1, room: 100 };

/** Costs of a target whose rows cost a share of a pass, and of a model that drafts. */
function costsOf(perRow: number, perDraft: number): PassCosts {
  const costs = createPassCosts();
  for (let sample = 0; sample < 10; sample++) {
    for (const rows of [1, 2, 4, 8, 16])
      costs.observe({ rows, cells: 3, nanoseconds: 1000 * (1 + perRow * (rows - 1)) });
    costs.observeDraft({ tokens: 1, nanoseconds: 1000 * perDraft });
  }
  return costs;
}

function createDrafter(costs: PassCosts, length?: number, isSure = true) {
  const orders: number[] = [];
  const drafter = createModelDrafter({
    draft(_, count) {
      orders.push(count);
      return isSure ? new Array<number>(count).fill(7) : [];
    },
    costs,
    history: createDraftHistory(),
    clock: createFakeClock(),
    length,
  });
  return { drafter, orders };
}

describe('a drafter with a model', () => {
  test('drafts nothing until passes without a draft were measured, and then a few tokens until the costs are known', () => {
    const costs = createPassCosts();
    const { drafter } = createDrafter(costs);
    for (let pass = 0; pass < 8; pass++) {
      expect(drafter.draft(tokens, room)).toEqual([]);
      costs.observe({ rows: 1, cells: 3, nanoseconds: 1000 });
    }
    expect(drafter.draft(tokens, room)).toEqual([7, 7, 7]);
  });

  test('measures passes without a draft again in a longer context', () => {
    const { drafter } = createDrafter(costsOf(0.05, 0.02));
    expect(drafter.draft(tokens, room)).not.toEqual([]);
    expect(drafter.draft(new Array(600).fill(1), room)).toEqual([]);
    expect(drafter.draft(tokens, room)).not.toEqual([]);
  });

  test('drafts more tokens if they were right', () => {
    const { drafter, orders } = createDrafter(costsOf(0.05, 0.02));
    drafter.draft(tokens, room);
    for (let draft = 0; draft < 5; draft++) drafter.learn({ drafted: 7, accepted: 7 }, 3);
    drafter.draft(tokens, room);
    expect(orders).toEqual([7, 15]);
  });

  test('stops for the answer when too little is right', () => {
    const { drafter, orders } = createDrafter(costsOf(0.1, 0.1));
    for (let draft = 0; draft < 20; draft++) {
      const { length } = drafter.draft(tokens, room);
      if (length > 0) drafter.learn({ drafted: length, accepted: 0 }, 3);
    }
    expect(orders.length).toBeLessThan(10);
    expect(drafter.draft(tokens, room)).toEqual([]);
  });

  test('stops for the answer when the model is never sure', () => {
    const { drafter, orders } = createDrafter(costsOf(0.1, 0.1), undefined, false);
    for (let draft = 0; draft < 20; draft++) expect(drafter.draft(tokens, room)).toEqual([]);
    expect(orders.length).toBeLessThan(10);
  });

  test('stops for the answer when the model is never sure, although no pass has shown what drafts cost', () => {
    const { drafter, orders } = createDrafter(createPassCosts(), undefined, false);
    for (let draft = 0; draft < 20; draft++) expect(drafter.draft(tokens, room)).toEqual([]);
    expect(orders.length).toBeLessThan(10);
  });

  test('does not draft with a model that is as slow as the target', () => {
    const { drafter, orders } = createDrafter(costsOf(0.2, 1));
    expect(drafter.draft(tokens, room)).toEqual([]);
    expect(orders).toEqual([]);
  });

  test('drafts a fixed number of tokens if the request sets one', () => {
    const { drafter } = createDrafter(costsOf(1, 1), 5);
    expect(drafter.draft(tokens, room)).toHaveLength(5);
    expect(drafter.draft(tokens, { generated: 1, room: 2 })).toHaveLength(2);
  });
});
