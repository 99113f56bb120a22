// Finds a bound that a wanted number of numbers are not below, without sorting them: it only asks how many there are. The
// search begins at the last bound, because the logits of the next token mostly have a similar one.

/** NaN if there are fewer numbers than wanted. A bound with more of them if there is no better one. */
type FindBound = (wanted: { readonly least: number; readonly most: number }) => number;

// With equal numbers, there may be no such bound.
const maxTries = 24;
// From the last bound to the second try. It doubles until the bound is between two tries.
const firstStep = 0.5;

/** `countFrom`: how many numbers are not below a bound. */
export function createFindBound(countFrom: (bound: number) => number): FindBound {
  let last = 0;
  return ({ least, most }) => {
    let low = Number.NEGATIVE_INFINITY;
    let high = Number.POSITIVE_INFINITY;
    let bound = last;
    for (let tried = 0; tried < maxTries; tried++) {
      const count = countFrom(bound);
      if (count < least) high = bound;
      else if (count > most) low = bound;
      else {
        last = bound;
        return bound;
      }
      bound = nextBound(low, high, firstStep * 2 ** tried);
    }
    last = Number.isFinite(low) ? low : 0;
    return Number.isFinite(low) ? low : Number.NaN;
  };
}

function nextBound(low: number, high: number, step: number): number {
  if (high === Number.POSITIVE_INFINITY) return low + step;
  return low === Number.NEGATIVE_INFINITY ? high - step : (low + high) / 2;
}
