// Several streams as one: whatever comes first goes first. When one fails or the reader leaves, all of them end.

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
      // To the end of the line: one that always has something ready must not keep the others from being heard.
      waiting.delete(index);
      if (!result.done) {
        waiting.set(index, next(index));
        yield { index, item: result.value };
      }
    }
  } finally {
    // Nobody looks at what still comes.
    for (const pending of waiting.values()) pending.catch(() => {});
    await Promise.all(sources.map((source) => source.return(undefined)));
  }
}
