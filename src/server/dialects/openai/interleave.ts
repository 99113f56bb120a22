// Merges several streams in order of arrival. When one fails or the reader stops, all of them end.

export interface Tagged<T> {
  readonly index: number;
  readonly item: T;
}

export async function* interleave<T>(sources: readonly AsyncGenerator<T>[]): AsyncGenerator<Tagged<T>> {
  const next = async (index: number) => ({ index, result: await (sources[index] as AsyncGenerator<T>).next() });
  const waiting = new Map(sources.map((_, index) => [index, next(index)]));
  try {
    while (waiting.size > 0) {
      const { index, result } = await Promise.race(waiting.values());
      // Moves to the end of the map: a source that is always ready must not starve the others.
      waiting.delete(index);
      if (!result.done) {
        waiting.set(index, next(index));
        yield { index, item: result.value };
      }
    }
  } finally {
    // Nothing reads these results any more.
    for (const pending of waiting.values()) pending.catch(() => {});
    await Promise.all(sources.map((source) => source.return(undefined)));
  }
}
