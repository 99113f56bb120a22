// Recently evaluated sequences, in main memory, so that the next request with the same prefix does not evaluate it
// again. The KV cache itself holds live sequences only: attention visits every cell, so the cells of finished sequences
// would slow down every token. Sequences that have yielded their slot are kept here too.

import type { PrefixMark } from '../sequence/sequence.ts';
import type { PrefixWatch } from './block-ledger.ts';
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
import { isSameSession, type NamedTokens, SparedSessions } from './named-sessions.ts';

export interface CachedPrefix extends NamedTokens {
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

interface FoundPrefix {
  readonly entry: CachedPrefix;
  /** Tokens that it provides. */
  readonly length: number;
}

export class PrefixCache {
  #capacityBytes: number;
  readonly #cutsAnywhere: boolean;
  readonly #onEvict: ((entry: CachedPrefix, used: boolean) => void) | undefined;
  readonly #watch: PrefixWatch | undefined;
  /** From least to most recently used. */
  #entries: CachedPrefix[] = [];
  readonly #used = new WeakSet<CachedPrefix>();
  readonly #spared = new SparedSessions();
  bytes = 0;
  kept = 0;
  evicted = 0;

  constructor(options: {
    readonly capacityBytes: number;
    readonly cutsAnywhere: boolean;
    readonly onEvict?: (entry: CachedPrefix, used: boolean) => void;
    readonly watch?: PrefixWatch | undefined;
  }) {
    this.#capacityBytes = options.capacityBytes;
    this.#cutsAnywhere = options.cutsAnywhere;
    this.#onEvict = options.onEvict;
    this.#watch = options.watch;
  }

  get capacityBytes(): number {
    return this.#capacityBytes;
  }

  /** Changes the capacity, and evicts what is more. */
  limit(capacityBytes: number): void {
    this.#capacityBytes = capacityBytes;
    this.#evictExcess();
  }

  /** The entry that provides most tokens, and the longest common prefix, which may be longer. */
  find({ tokens, partition, session }: PrefixQuery): {
    readonly best: FoundPrefix | undefined;
    readonly overlap: Overlap;
  } {
    let best: FoundPrefix | undefined;
    let overlap = noOverlap;
    for (const entry of this.#entries) {
      if (entry.partition !== partition) continue;
      const common = commonLength(tokens, entry.tokens);
      overlap = longest([overlap, { common, promptLength: entry.promptLength }]);
      const length = usableLength(common, entry, this.#cutsAnywhere);
      const isPreferred = isSameSession(entry, { session }) || !isSameSession(best?.entry ?? {}, { session });
      if (length > (best?.length ?? 0) || (length > 0 && length === best?.length && isPreferred))
        best = { entry, length };
    }
    return { best, overlap };
  }

  /** Counts a use of the entry. */
  touch(entry: CachedPrefix): void {
    this.#used.add(entry);
    this.#spared.use(entry);
    this.#entries = [...this.#entries.filter((other) => other !== entry), entry];
  }

  /** Whether an entry without an owner provides all of these tokens. An owner takes its entry away. */
  covers(query: PrefixQuery): boolean {
    return this.#shared().some((entry) => provides(entry, query, this.#cutsAnywhere));
  }

  /** `used`: whether requests have used it before. */
  put(entry: CachedPrefix, used = false): void {
    if (sizeOf(entry) > this.#capacityBytes) return;
    const redundant = this.#shared().filter((other) => isRedundant(other, entry, this.#cutsAnywhere));
    if (used || redundant.some((other) => this.#used.has(other))) this.#used.add(entry);
    for (const other of redundant) this.#remove(other);
    this.#entries.push(entry);
    // An owner takes its entry away.
    if (entry.owner === undefined) this.#watch?.added(entry);
    this.bytes += sizeOf(entry);
    this.kept++;
    this.#evictExcess(entry.client);
  }

  /** Removes the entry of this owner and returns it; undefined if it was evicted. */
  take(owner: number): CachedPrefix | undefined {
    const entry = this.#entries.find((other) => other.owner === owner);
    if (entry !== undefined) this.#remove(entry);
    return entry;
  }

  /** Removes an entry that cannot be restored. */
  discard(entry: CachedPrefix): void {
    if (this.#entries.includes(entry)) this.#remove(entry);
  }

  /** Entries without an owner, least recently used first, and whether they were used since they were put. */
  list(): readonly { readonly entry: CachedPrefix; readonly used: boolean }[] {
    return this.#shared().map((entry) => ({ entry, used: this.#used.has(entry) }));
  }

  #remove(entry: CachedPrefix): void {
    this.#entries = this.#entries.filter((other) => other !== entry);
    this.bytes -= sizeOf(entry);
    this.#watch?.removed(entry);
  }

  #shared(): CachedPrefix[] {
    return this.#entries.filter(({ owner }) => owner === undefined);
  }

  #evictExcess(cause?: string): void {
    while (this.bytes > this.#capacityBytes)
      this.#evict(this.#spared.chooseVictim(this.#entries as [CachedPrefix, ...CachedPrefix[]], cause));
  }

  #evict(entry: CachedPrefix): void {
    this.#remove(entry);
    this.evicted++;
    if (entry.owner === undefined) this.#onEvict?.(entry, this.#used.has(entry));
  }
}

export function sizeOf({ tokens, snapshot, marks }: CachedPrefix): number {
  return marks.reduce((sum, { state }) => sum + state.byteLength, tokens.byteLength + snapshot.byteLength);
}
