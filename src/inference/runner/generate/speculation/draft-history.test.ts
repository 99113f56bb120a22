import { describe, expect, test } from 'vitest';
import { createDraftHistory, type DraftHistory } from './draft-history.ts';
import { chanceOf, noEvidence } from './draft-policy.ts';

const wrong = { drafted: 3, accepted: 0 };
const right = { drafted: 3, accepted: 3 };
const chance = ({ assume }: DraftHistory): number => chanceOf(noEvidence, assume());

describe('a new answer assumes', () => {
  test('that most tokens are right if nothing is known', () => {
    const history = createDraftHistory();
    expect([chance(history), chance(history)]).toEqual([0.8, 0.8]);
  });

  test('what was seen in other answers', () => {
    const history = createDraftHistory();
    history.assume();
    for (let draft = 0; draft < 40; draft++) history.add(wrong);
    expect(chance(history)).toBeLessThan(0.2);
    for (let draft = 0; draft < 200; draft++) history.add(right);
    expect(chance(history)).toBeGreaterThan(0.9);
  });

  test('now and then the same as the first answer', () => {
    const history = createDraftHistory();
    for (let draft = 0; draft < 40; draft++) history.add(wrong);
    const chances = Array.from({ length: 64 }, () => chance(history));
    expect(chances.filter((one) => one === 0.8)).toHaveLength(4);
  });
});
