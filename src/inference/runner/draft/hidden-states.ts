// The hidden states of the last tokens of a sequence, which a prediction head has not evaluated yet.

export function createHiddenStates(width: number, capacity: number) {
  const values = new Float32Array(capacity * width);
  let first = 0;
  let count = 0;

  const drop = (dropped: number): void => {
    values.copyWithin(0, dropped * width, count * width);
    first += dropped;
    count -= dropped;
  };

  return {
    capacity,
    /** The position of the first state. */
    get first(): number {
      return first;
    },
    /** The position after the last state. */
    get end(): number {
      return first + count;
    },
    /** A state that does not follow the others replaces them. If there is no room, the older half makes room. */
    add(position: number, state: Float32Array): void {
      if (position !== first + count) {
        first = position;
        count = 0;
      }
      if (count === capacity) drop(Math.ceil(capacity / 2));
      values.set(state, count * width);
      count++;
    },
    at: (position: number): Float32Array => values.subarray((position - first) * width, (position - first + 1) * width),
    dropBefore(position: number): void {
      if (position > first) drop(Math.min(position - first, count));
    },
  };
}
