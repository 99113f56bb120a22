// Merges several streams in order of arrival. When one fails or the reader stops, all of them end.

/** An item of one of several streams. */
export interface Tagged<T> {
  readonly index: number;
  readonly item: T;
}

export function interleave<T>(sources: readonly AsyncGenerator<T>[]): AsyncGenerator<T> {
  const [only, ...others] = sources;
  return only !== undefined && others.length === 0 ? only : merge(sources);
}

async function* merge<T>(sources: readonly AsyncGenerator<T>[]): AsyncGenerator<T> {
  const next = async (index: number) => ({ index, result: await (sources[index] as AsyncGenerator<T>).next() });
  const waiting = new Map(sources.map((_, index) => [index, next(index)]));
  try {
    while (waiting.size > 0) {
      const { index, result } = await Promise.race(waiting.values());
      // Moves to the end of the map: a source that is always ready must not starve the others.
      waiting.delete(index);
      if (!result.done) {
        waiting.set(index, next(index));
        yield result.value;
      }
    }
  } finally {
    // Nothing reads these results any more.
    for (const pending of waiting.values()) pending.catch(() => {});
    await Promise.all(sources.map((source) => source.return(undefined)));
  }
}
