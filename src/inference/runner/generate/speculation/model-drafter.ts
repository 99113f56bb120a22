// Drafts the next tokens of one answer with a small model, or the prediction head of the model. It stops for the rest of the answer when its drafts cost more
// than they yield.

import type { Clock } from '../../../../base/time/clock.ts';
import type { DraftHistory } from './draft-history.ts';
import { addEvidence, chanceOf, chooseLength, type DraftResult, noEvidence } from './draft-policy.ts';
import type { Drafter } from './drafter.ts';
import type { PassCosts } from './pass-costs.ts';

/** The next tokens, at most `count`. Undefined if it cannot say yet. */
export type ModelGuess = (tokens: readonly number[], count: number) => readonly number[] | undefined;

interface ModelDrafterOptions {
  readonly draft: ModelGuess;
  readonly costs: PassCosts;
  readonly history: DraftHistory;
  readonly clock: Clock;
  /** Tokens per draft; undefined: as many as pay. */
  readonly length: number | undefined;
}

// Each fills a number of rows together with the token before it.
const lengths = [1, 3, 7, 15];
// Drafted until the costs are known.
const firstLength = 3;
// Before the costs are known. A model that is never sure drafts nothing, so that no pass with a draft would measure them.
const minFirstChance = 0.5;
// A cheap draft model pays with a small chance. Only the sum of all drafts shows that there is none.
const weightOfOld = 1;

export function createModelDrafter(options: ModelDrafterOptions): Drafter {
  const { costs, history, clock, length } = options;
  const assumed = history.assume();
  let evidence = noEvidence;
  let stopped = false;

  const learn = (result: DraftResult): void => {
    evidence = addEvidence(evidence, result, weightOfOld);
    history.add(result);
  };

  const plan = (cells: number, room: number): number => {
    if (length !== undefined) return Math.min(length, room);
    // Passes with one token are the unit of all costs, and an answer of drafts has none.
    if (costs.wants({ rows: 1, cells })) return 0;
    const chance = chanceOf(evidence, assumed);
    if (!costs.isMeasured({ rows: 1 + firstLength, cells })) {
      stopped = chance < minFirstChance;
      return stopped ? 0 : Math.min(firstLength, room);
    }
    const draftCost = costs.draftCost(cells);
    const best = chooseLength({
      chance,
      lengths,
      costOf: (drafted) => drafted * draftCost + costs.costOf({ rows: 1 + drafted, cells }),
    });
    stopped = best === 0;
    return Math.min(best, room);
  };

  return {
    draft(tokens, { room }) {
      if (stopped || room < 1) return [];
      const count = plan(tokens.length, room);
      if (count === 0) return [];
      const begun = clock.monotonic();
      const draft = options.draft(tokens, count);
      if (draft === undefined) return [];
      costs.observeDraft({ tokens: draft.length, nanoseconds: clock.monotonic() - begun });
      // An empty draft took time and yields nothing, like a wrong one.
      if (draft.length === 0) learn({ drafted: 1, accepted: 0 });
      return draft;
    },
    learn,
  };
}
