// Settings of property tests. The seed is fixed, so that `npm test` gives the same result every time; `npm run fuzz`
// passes other seeds. Shrinking has a time limit, so that a failure is reported before the test times out.

import fc from 'fast-check';

const usualSeed = 20_260_101;
const longestShrinking = 15_000;

// Bound now: a test may replace the clock.
const now = performance.now.bind(performance);

/**
 * Limits shrinking only. fast-check's own interruptAfterTimeLimit also ends a run that has not failed yet and reports
 * success, even if the property hangs for a value.
 */
const limitShrinking: fc.Plugin<unknown> = () => {
  let end: number | undefined;
  const note = <Outcome>(outcome: Outcome): Outcome => {
    if (outcome !== null && !fc.PreconditionFailure.isFailure(outcome)) end ??= now() + longestShrinking;
    return outcome;
  };
  return {
    decorateRun: (run) => (value) => {
      if (end !== undefined && now() >= end) return new fc.PreconditionFailure(true);
      const outcome = run(value);
      return outcome instanceof Promise ? outcome.then(note) : note(outcome);
    },
  };
};

fc.configureGlobal({ seed: Number(process.env['HEARTH_TEST_SEED'] ?? usualSeed) });
fc.installGlobalPlugin(limitShrinking);
