// Recently evaluated sequences, in main memory, so that the next request with the same prefix does not evaluate it
// again. The KV cache itself holds live sequences only: attention visits every cell, so the cells of finished sequences
// would slow down every token. Sequences that have yielded their slot are kept here too.

import type { PrefixMark } from '../sequence/sequence.ts';
import {
  commonLength,
  isRedundant,
  longest,
  noOverlap,
  type Overlap,
  type PrefixQuery,
  provides,
  usableLength,
} from './coverage.ts';

export interface CachedPrefix {
  /** Tokens at the start that other sequences can use. */
  readonly tokens: Int32Array;
  /** Tokens of the prompt among them. All, if the prompt is not known. */
  readonly promptLength: number;
  readonly snapshot: Buffer;
  /** Bytes of the state in the snapshot, as `EngineContext.stateBytes` reports them. */
  readonly stateBytes: number;
  /** Where it can be cut if the memory of the model cannot be cut at any token. */
  readonly marks: readonly PrefixMark[];
  /** Only sequences of the same partition use it. */
  readonly partition: string;
  /** The sequence that will continue with the entire snapshot. */
  readonly owner?: number;
}

export interface FoundPrefix {
  readonly entry: CachedPrefix;
  /** Tokens that it provides. */
  readonly length: number;
}

export interface PrefixCacheOptions {
  readonly capacityBytes: number;
  readonly cutsAnywhere: boolean;
  readonly onEvict?: (entry: CachedPrefix, used: boolean) => void;
}

export function createPrefixCache({ capacityBytes, cutsAnywhere, onEvict }: PrefixCacheOptions) {
  // From least to most recently used.
  let entries: CachedPrefix[] = [];
  const used = new WeakSet<CachedPrefix>();
  let bytes = 0;
  let kept = 0;
  let evicted = 0;

  const remove = (entry: CachedPrefix): void => {
    entries = entries.filter((other) => other !== entry);
    bytes -= sizeOf(entry);
  };
  const shared = (): CachedPrefix[] => entries.filter(({ owner }) => owner === undefined);
  const evict = (entry: CachedPrefix): void => {
    remove(entry);
    evicted++;
    if (entry.owner === undefined) onEvict?.(entry, used.has(entry));
  };

  return {
    capacityBytes,
    get bytes(): number {
      return bytes;
    },
    get kept(): number {
      return kept;
    },
    get evicted(): number {
      return evicted;
    },
    /** The entry that provides most tokens, and the longest common prefix, which may be longer. */
    find({ tokens, partition }: PrefixQuery): { readonly best: FoundPrefix | undefined; readonly overlap: Overlap } {
      let best: FoundPrefix | undefined;
      let overlap = noOverlap;
      for (const entry of entries) {
        if (entry.partition !== partition) continue;
        const common = commonLength(tokens, entry.tokens);
        overlap = longest([overlap, { common, promptLength: entry.promptLength }]);
        const length = usableLength(common, entry, cutsAnywhere);
        if (length > 0 && length >= (best?.length ?? 0)) best = { entry, length };
      }
      return { best, overlap };
    },
    /** Counts a use of the entry. */
    touch(entry: CachedPrefix): void {
      used.add(entry);
      entries = [...entries.filter((other) => other !== entry), entry];
    },
    /** Whether an entry without an owner provides all of these tokens. An owner takes its entry away. */
    covers: (query: PrefixQuery): boolean => shared().some((entry) => provides(entry, query, cutsAnywhere)),
    put(entry: CachedPrefix): void {
      if (sizeOf(entry) > capacityBytes) return;
      const redundant = shared().filter((other) => isRedundant(other, entry, cutsAnywhere));
      if (redundant.some((other) => used.has(other))) used.add(entry);
      for (const other of redundant) remove(other);
      entries.push(entry);
      bytes += sizeOf(entry);
      kept++;
      while (bytes > capacityBytes) evict(entries[0] as CachedPrefix);
    },
    /** Removes the entry of this owner and returns it; undefined if it was evicted. */
    take(owner: number): CachedPrefix | undefined {
      const entry = entries.find((other) => other.owner === owner);
      if (entry !== undefined) remove(entry);
      return entry;
    },
    /** Entries without an owner, least recently used first, and whether they were used since they were put. */
    list: (): readonly { readonly entry: CachedPrefix; readonly used: boolean }[] =>
      shared().map((entry) => ({ entry, used: used.has(entry) })),
  };
}

export type PrefixCache = ReturnType<typeof createPrefixCache>;

export function sizeOf({ tokens, snapshot, marks }: CachedPrefix): number {
  return marks.reduce((sum, { state }) => sum + state.byteLength, tokens.byteLength + snapshot.byteLength);
}
