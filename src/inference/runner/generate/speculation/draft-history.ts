// How often the drafts of a draft model were right, over all answers. A new answer starts with it, so that a model that does
// not fit costs time in few answers.

import { addEvidence, chanceOf, type DraftResult, noEvidence } from './draft-policy.ts';

/** Tokens that are assumed to have been right and wrong. */
interface Assumption {
  readonly right: number;
  readonly wrong: number;
}

// Four of five tokens: typical of a model of the same family.
const typical: Assumption = { right: 4, wrong: 1 };
const weight = typical.right + typical.wrong;
// Some hundred drafts count. Answers differ.
const weightOfOld = 0.99;
// So often an answer tries again, whatever the history says: the texts may be others now.
const retryInterval = 16;

export function createDraftHistory() {
  let evidence = noEvidence;
  let answers = 0;
  return {
    /** What a new answer assumes. */
    assume(): Assumption {
      if (answers++ % retryInterval === 0) return typical;
      const right = weight * chanceOf(evidence, typical);
      return { right, wrong: weight - right };
    },
    add(result: DraftResult): void {
      evidence = addEvidence(evidence, result, weightOfOld);
    },
  };
}

export type DraftHistory = ReturnType<typeof createDraftHistory>;
