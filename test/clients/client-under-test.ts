// What is asked of every client, and how a client says what it can do.

import { createDeferred } from '../../src/base/deferred.ts';

export const capabilities = [
  'plain',
  'streamed',
  'multi-turn',
  'tools',
  'tools, streamed',
  'structured output',
  'thinking',
  'embeddings',
  'images',
  'list',
  'show',
  'create',
  'delete',
  'push',
  'pull',
  'abort',
  'wrong model',
  'server goes away',
] as const;
export type Capability = (typeof capabilities)[number];

/** An answer of which the first words are here, and that would go on for ever. */
export interface LongAnswer {
  abort?(): void;
  /** Settles when no more comes; rejects when it did not end by itself. */
  readonly end: Promise<unknown>;
}

export interface ClientUnderTest {
  /** As on npm. */
  readonly name: string;
  /** Whether an answer of its can be broken off. */
  readonly aborts: boolean;
  begin(url: string): Promise<LongAnswer>;
  /** Each throws when it does not hold. What is not here, the client does not offer. `library` is a host with models. */
  cells(
    url: string,
    registry: string,
  ): Partial<Record<Exclude<Capability, 'abort' | 'server goes away'>, () => Promise<void>>>;
}

/** A model in the store of the server that never stops talking. */
export const endless = 'endless';

/** Reads a stream in the background; resolves when something has come. */
export async function beginReading(parts: AsyncIterable<unknown>, abort?: () => void): Promise<LongAnswer> {
  const begun = createDeferred<void>();
  const read = async (): Promise<void> => {
    for await (const _ of parts) begun.resolve();
  };
  const end = read();
  // Before the first words, an end is a failure to begin.
  end.then(() => begun.reject(new Error('the answer ended before it had begun')), begun.reject);
  await begun.promise;
  return { end, abort };
}
