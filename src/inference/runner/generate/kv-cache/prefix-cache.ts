// Recently evaluated sequences, in main memory, so that the next request with the same prefix does not evaluate it
// again. The KV cache itself holds live sequences only: attention visits every cell, so the cells of finished sequences
// would slow down every token. Sequences that have yielded their slot are kept here too.

export interface CachedPrefix {
  /** Tokens at the start that other sequences can use. */
  readonly tokens: Int32Array;
  readonly snapshot: Buffer;
  /** Only sequences of the same partition use it. */
  readonly partition: string;
  /** The sequence that will continue with the entire snapshot. */
  readonly owner?: number;
}

export interface PrefixQuery {
  readonly tokens: readonly number[];
  readonly partition: string;
}

export interface PrefixCache {
  readonly capacityBytes: number;
  readonly bytes: number;
  readonly kept: number;
  readonly evicted: number;
  /** The entry with the longest common prefix, and its length. */
  find(query: PrefixQuery): { readonly entry: CachedPrefix; readonly length: number } | undefined;
  /** Whether an entry without an owner begins with all of these tokens. An owner takes its entry away. */
  covers(query: PrefixQuery): boolean;
  put(entry: CachedPrefix): void;
  /** Removes the entry of this owner and returns its snapshot; undefined if it was evicted. */
  take(owner: number): Buffer | undefined;
}

export function createPrefixCache(capacityBytes: number): PrefixCache {
  // From least to most recently used.
  let entries: CachedPrefix[] = [];
  let bytes = 0;
  let kept = 0;
  let evicted = 0;

  const remove = (entry: CachedPrefix): void => {
    entries = entries.filter((other) => other !== entry);
    bytes -= sizeOf(entry);
  };
  const shared = (): CachedPrefix[] => entries.filter(({ owner }) => owner === undefined);
  const touch = (entry: CachedPrefix): void => {
    entries = [...entries.filter((other) => other !== entry), entry];
  };

  return {
    capacityBytes,
    get bytes() {
      return bytes;
    },
    get kept() {
      return kept;
    },
    get evicted() {
      return evicted;
    },
    find({ tokens, partition }) {
      let best: { entry: CachedPrefix; length: number } | undefined;
      for (const entry of entries) {
        if (entry.partition !== partition) continue;
        const length = commonLength(tokens, entry.tokens);
        if (length > 0 && length >= (best?.length ?? 0)) best = { entry, length };
      }
      if (best) touch(best.entry);
      return best;
    },
    covers: ({ tokens, partition }) =>
      shared().some((entry) => entry.partition === partition && commonLength(tokens, entry.tokens) === tokens.length),
    put(entry) {
      if (sizeOf(entry) > capacityBytes) return;
      // An entry that is a prefix of the new one is redundant.
      for (const other of shared()) {
        if (other.partition !== entry.partition) continue;
        if (commonLength(entry.tokens, other.tokens) === other.tokens.length) remove(other);
      }
      entries.push(entry);
      bytes += sizeOf(entry);
      kept++;
      while (bytes > capacityBytes) {
        remove(entries[0] as CachedPrefix);
        evicted++;
      }
    },
    take(owner) {
      const entry = entries.find((other) => other.owner === owner);
      if (entry !== undefined) remove(entry);
      return entry?.snapshot;
    },
  };
}

function sizeOf({ tokens, snapshot }: CachedPrefix): number {
  return tokens.byteLength + snapshot.byteLength;
}

/** The length of the common prefix. */
export function commonLength(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const max = Math.min(a.length, b.length);
  let length = 0;
  while (length < max && a[length] === b[length]) length++;
  return length;
}
