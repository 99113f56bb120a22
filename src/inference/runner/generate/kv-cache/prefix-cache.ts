// Prompts that were evaluated lately, kept in main memory after their sequence has left the KV cache, so that the
// next request that begins with the same tokens does not evaluate them again. The cache itself holds live
// sequences only: cells of finished ones would slow every running token down, since attention looks at each cell.

export interface Shelved {
  readonly tokens: Int32Array;
  readonly snapshot: Buffer;
}

export interface PrefixCache {
  readonly capacityBytes: number;
  readonly bytes: number;
  readonly kept: number;
  readonly evicted: number;
  /** The entry that begins with the most tokens of `prompt`, and how many those are. */
  find(prompt: readonly number[]): { readonly entry: Shelved; readonly length: number } | undefined;
  /** Whether an entry begins with all of these tokens already. */
  covers(tokens: readonly number[]): boolean;
  put(entry: Shelved): void;
}

export function createPrefixCache(capacityBytes: number): PrefixCache {
  // From least to most recently used.
  let entries: Shelved[] = [];
  let bytes = 0;
  let kept = 0;
  let evicted = 0;

  const remove = (entry: Shelved): void => {
    entries = entries.filter((other) => other !== entry);
    bytes -= sizeOf(entry);
  };
  const touch = (entry: Shelved): void => {
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
    find(prompt) {
      let best: { entry: Shelved; length: number } | undefined;
      for (const entry of entries) {
        const length = commonLength(prompt, entry.tokens);
        if (length > 0 && length >= (best?.length ?? 0)) best = { entry, length };
      }
      if (best) touch(best.entry);
      return best;
    },
    covers: (tokens) => entries.some((entry) => commonLength(tokens, entry.tokens) === tokens.length),
    put(entry) {
      if (sizeOf(entry) > capacityBytes) return;
      // What this one begins with is no longer needed by itself.
      for (const other of entries) {
        if (commonLength(entry.tokens, other.tokens) === other.tokens.length) remove(other);
      }
      entries.push(entry);
      bytes += sizeOf(entry);
      kept++;
      while (bytes > capacityBytes) {
        remove(entries[0] as Shelved);
        evicted++;
      }
    },
  };
}

function sizeOf({ tokens, snapshot }: Shelved): number {
  return tokens.byteLength + snapshot.byteLength;
}

/** How many tokens two lists have in common at their beginning. */
export function commonLength(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a[length] === b[length]) length++;
  return length;
}
