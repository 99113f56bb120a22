// Streams of items that pass several steps. In a chain of async generators, every item costs about three promises per
// generator. Here it passes all steps in one call: pipes that are connected before they are read become one generator.

export interface Step<In, Out> {
  /** Passes on what becomes of the item, if anything. After a call of `end`, nothing more is read. */
  push(item: In, pass: (out: Out) => void, end: () => void): void;
  /** The source, or a step before this one, has ended. */
  end?(pass: (out: Out) => void): void;
  /** Called once, after everything else. `error`: what failed; absent if the stream has ended or its reader has left. */
  close?(error?: unknown): void;
}

const chainOf = Symbol('chain');

interface Chain {
  readonly open: () => AsyncIterable<unknown> | Promise<AsyncIterable<unknown>>;
  readonly steps: readonly Step<unknown, unknown>[];
  isRead: boolean;
}

/** The items of the source after the step. */
export function pipe<In, Out>(source: AsyncIterable<In>, step: Step<In, Out>): AsyncGenerator<Out> {
  const { open, steps } = unreadChain(source) ?? { open: () => source, steps: [] };
  return create<Out>({ open, steps: [...steps, step], isRead: false });
}

/** The items of a source that is opened when the first one is read. */
export function openLater<Item>(open: () => Promise<AsyncIterable<Item>>): AsyncGenerator<Item> {
  return create<Item>({ open, steps: [], isRead: false });
}

/** The items of an iterator whose first one was read already. */
export function startingWith<Item>(first: IteratorResult<Item>, rest: AsyncIterator<Item>): AsyncIterable<Item> {
  let isFirst = true;
  // Not a generator, which would cost promises of its own for each item.
  const next = (): Promise<IteratorResult<Item>> => {
    if (!isFirst) return rest.next();
    isFirst = false;
    return Promise.resolve(first);
  };
  const leave = async (): Promise<IteratorResult<Item>> => {
    await rest.return?.();
    return { done: true, value: undefined };
  };
  return { [Symbol.asyncIterator]: () => ({ next, return: leave }) };
}

/** Calls back when the source has ended, has failed, or is left. */
export function onClosed<Item>(source: AsyncIterable<Item>, close: () => void): AsyncGenerator<Item> {
  return pipe(source, {
    push(item: Item, pass: (item: Item) => void) {
      pass(item);
    },
    close: () => close(),
  });
}

/** Calls back with the first item before it is passed on. */
export function onFirst<Item>(source: AsyncIterable<Item>, callback: (first: Item) => void): AsyncGenerator<Item> {
  let isFirst = true;
  return pipe(source, {
    push(item: Item, pass: (item: Item) => void) {
      if (isFirst) callback(item);
      isFirst = false;
      pass(item);
    },
  });
}

function create<Out>(chain: Chain): AsyncGenerator<Out> {
  return Object.assign(run<Out>(chain), { [chainOf]: chain });
}

/** Undefined for other sources, and for a pipe that is being read. */
function unreadChain(source: AsyncIterable<unknown> & { readonly [chainOf]?: Chain }): Chain | undefined {
  const chain = source[chainOf];
  return chain?.isRead === false ? chain : undefined;
}

async function* run<Out>(chain: Chain): AsyncGenerator<Out> {
  chain.isRead = true;
  let { steps } = chain;
  let iterator: AsyncIterator<unknown> | undefined;
  let isDone = false;
  let failure: unknown;
  try {
    let source = await chain.open();
    for (let inner = unreadChain(source); inner !== undefined; inner = unreadChain(source)) {
      steps = [...inner.steps, ...steps];
      source = await inner.open();
    }
    iterator = source[Symbol.asyncIterator]();
    const outputs: Out[] = [];
    const line = connect(steps, (output) => outputs.push(output as Out));
    while (!isDone && !line.hasEnded()) {
      const next = await iterator.next();
      isDone = next.done === true;
      // Items that were passed on before the failure are yielded first.
      const thrown = next.done ? attempt(line.end) : attempt(() => line.push(next.value));
      for (const output of outputs) yield output;
      outputs.length = 0;
      if (thrown !== undefined) throw thrown.error;
    }
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    if (!isDone) await iterator?.return?.();
    for (const step of steps) step.close?.(failure);
  }
}

/** Connects the steps: what one passes on, the next one gets. */
function connect(steps: readonly Step<unknown, unknown>[], output: (item: unknown) => void) {
  let hasEnded = false;
  const endAfter = (index: number): void => {
    // The end of one step may make a later one end the stream.
    for (let next = index + 1; next < steps.length && !hasEnded; next++)
      steps[next]?.end?.(inputs[next + 1] as typeof output);
    hasEnded = true;
  };
  const inputOf = (step: Step<unknown, unknown>, index: number) => {
    const end = (): void => endAfter(index);
    return (item: unknown): void => {
      if (!hasEnded) step.push(item, inputs[index + 1] as typeof output, end);
    };
  };
  const inputs = [...steps.map(inputOf), output];
  return {
    push: inputs[0] as typeof output,
    end: () => endAfter(-1),
    hasEnded: () => hasEnded,
  };
}

function attempt(work: () => void): { readonly error: unknown } | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return { error };
  }
}
