// Finds evaluated tokens that a new sequence begins with: in a live sequence, in the cells that a free slot keeps, in the
// prefix cache, or on disk. Also finds sequences that are evaluating them now.

import type { EngineContext } from '../../llama/context.ts';
import { canCut } from '../../llama/memory-kind.ts';
import { completeChunks } from '../../vision/image-positions.ts';
import type { PrefixMark } from '../sequence/sequence.ts';
import { hasBegun, reusableLength, type Sequence, sharedPart } from '../sequence/sequence.ts';
import { commonLength, longest, noOverlap, type Overlap, usableLength } from './coverage.ts';
import type { PrefixDisk } from './disk/prefix-disk.ts';
import type { KeptCells } from './kept-cells.ts';
import { isSameSession } from './named-sessions.ts';
import type { PrefixCache } from './prefix-cache.ts';

/** Evaluated tokens that a sequence can begin with. */
export interface PrefixSource {
  readonly length: number;
  /** Tokens that are copied. */
  readonly cells: number;
  readonly marks: readonly PrefixMark[];
  readonly fromDisk: boolean;
  /** The slot that has the cells, or a copy of them in main memory. */
  readonly from: { readonly slot: number } | PrefixCopy;
}

interface PrefixCopy {
  readonly bytes: number;
  readonly snapshot: () => Buffer;
  /** Removes a copy that the context does not accept, and its file, so that another one takes its place. */
  readonly discard: () => void;
}

interface Found {
  readonly best: PrefixSource | undefined;
  readonly overlap: Overlap;
}

/**
 * The fewest tokens that are copied. On the CPU each token of a pass counts: one with four takes twice as long as one with a
 * single token. The BOS token, which all prompts share, is not worth a copy of its own. A GPU copies a sequence in the time of
 * some tokens (docs/adr/0053). It evaluates a token in the time that a copy from main memory takes, for which all requests
 * wait.
 */
const minReuse = { mainMemory: 2, onDevice: 64, toDevice: 512 } as const;
// A longer copy to a GPU would stop running streams for more than a twentieth of a second. Meanwhile, a prompt is evaluated in
// parts instead.
const maxBytesWhileRunning = 256 * 2 ** 20;
// Copying a token takes about a two-hundredth of evaluating it, but all tokens of the source are copied. With many processors,
// a few tokens more in a pass take hardly longer.
const copiedPerReused = 64;
const copiedPerReusedOfFew = 32;
const few = 16;
// Waiting delays a request by the next part of its leader, so it must save more where that part is long.
const minFollow = 64;
const minFollowShort = 16;
// Reading a file delays all requests for a moment.
const minFromDisk = 32;

const nothing: Found = { best: undefined, overlap: noOverlap };

interface FinderSources {
  readonly context: EngineContext;
  readonly prefixCache: PrefixCache;
  readonly disk?: PrefixDisk | undefined;
  readonly kept: KeptCells;
  /** Whether the cells are in the memory of a GPU. */
  readonly hasDeviceMemory: boolean;
}

export class PrefixFinder {
  readonly #options: FinderSources;
  readonly #cutsAnywhere: boolean;
  /** The fewest tokens that are copied from a slot. */
  readonly minReuse: number;
  /** The fewest tokens that are copied from main memory. */
  readonly #minRestored: number;

  constructor(options: FinderSources) {
    this.#options = options;
    this.#cutsAnywhere = canCut(options.context.memory);
    this.#minRestored = options.hasDeviceMemory ? minReuse.toDevice : minReuse.mainMemory;
    this.minReuse = options.context.copiesOnDevice ? minReuse.onDevice : this.#minRestored;
  }

  /** A sequence that evaluates the same prompt, if waiting for it saves enough compared to `available` tokens. */
  findLeader(sequence: Sequence, live: readonly Sequence[], available: number): Sequence['following'] {
    const prompt = sharedPart(sequence);
    let best: Sequence['following'];
    for (const leader of live.filter((other) => canLead(other, sequence))) {
      const length = this.#followedLength(sequence, prompt, leader);
      const saved = leader.tokens.length - leader.evaluated < minFollow ? minFollowShort : minFollow;
      if (length - available >= saved && length >= Math.max(this.minReuse, (best?.length ?? 0) + 1))
        best = { leader, length };
    }
    return best;
  }

  /**
   * The source that provides most tokens of the prompt, and the longest common prefix, which may be longer. `slot` is that of
   * the sequence: what it keeps needs no copy, so that it comes first if another one provides hardly more. What the same
   * conversation has left comes before it, so that no other one loses its tokens.
   */
  find(sequence: Sequence, live: readonly Sequence[], slot: number): Found {
    const prompt = sharedPart(sequence);
    const isRunning = live.length > 1;
    const inMemory = [
      this.#findKept(sequence, prompt, slot),
      this.#findLive(sequence, prompt, live),
      this.#findCached(sequence, prompt),
    ];
    const available = Math.max(...inMemory.map(({ best }) => best?.length ?? 0));
    const found = [...inMemory, this.#findStored(sequence, prompt, { available, isRunning })];
    const sources = found.flatMap(({ best }) => best ?? []).filter((source) => this.#isWorthCopying(source, isRunning));
    const best = sources.sort((a, b) => b.length - a.length)[0];
    return { best, overlap: longest(found.map(({ overlap }) => overlap)) };
  }

  #findKept(sequence: Sequence, prompt: readonly number[], slot: number): Found {
    const { found, overlap } = this.#options.kept.find({ tokens: prompt, partition: sequence.partition });
    const most = found[0]?.length ?? 0;
    const near = found.filter(({ length }) => length + minReuse.onDevice > most);
    const best =
      near.find(({ prefix }) => isSameSession(prefix, sequence)) ?? near.find((one) => one.slot === slot) ?? found[0];
    const length = completeChunks(sequence.images, best?.length ?? 0);
    if (best === undefined || (length < best.length && !this.#options.context.canCut(best.slot)))
      return { best: undefined, overlap };
    const { tokens, marks } = best.prefix;
    return { best: { length, cells: tokens.length, marks, fromDisk: false, from: { slot: best.slot } }, overlap };
  }

  #findLive(sequence: Sequence, prompt: readonly number[], live: readonly Sequence[]): Found {
    let best: PrefixSource | undefined;
    let overlap = noOverlap;
    for (const other of live) {
      if (other === sequence || other.partition !== sequence.partition) continue;
      const reusable = Math.min(commonLength(prompt, other.tokens), reusableLength(other));
      const common = completeChunks(sequence.images, reusable);
      overlap = longest([overlap, { common, promptLength: other.promptLength }]);
      const { evaluated: cells, marks, slot } = other;
      if (slot === undefined) continue;
      const length = usableLength(common, { tokens: { length: cells }, marks }, this.#options.context.canCut(slot));
      if (length > (best?.length ?? 0)) best = { length, cells, marks, fromDisk: false, from: { slot } };
    }
    return { best, overlap };
  }

  #findCached({ images, partition, session }: Sequence, prompt: readonly number[], fromDisk = false): Found {
    const { best, overlap } = this.#options.prefixCache.find({ tokens: prompt, partition, session });
    const length = completeChunks(images, best?.length ?? 0);
    // Where an image would be cut, a memory that cannot be cut at any token has no mark.
    if (best === undefined || (length < best.length && !this.#cutsAnywhere)) return { best: undefined, overlap };
    const { entry } = best;
    const snapshot = (): Buffer => {
      this.#options.prefixCache.touch(entry);
      return entry.snapshot;
    };
    const discard = (): void => {
      // While a GPU copies, the context accepts nothing.
      if (this.#options.context.copying) return;
      this.#options.prefixCache.discard(entry);
      this.#options.disk?.discard(entry);
    };
    const from = { bytes: entry.snapshot.byteLength, snapshot, discard };
    return { best: { length, cells: entry.tokens.length, marks: entry.marks, fromDisk, from }, overlap };
  }

  /** Reads a file into the prefix cache if it provides more than there is in memory. */
  #findStored(
    sequence: Sequence,
    prompt: readonly number[],
    { available, isRunning }: { readonly available: number; readonly isRunning: boolean },
  ): Found {
    const stored = this.#options.disk?.find({ tokens: prompt, partition: sequence.partition });
    if (stored === undefined || stored.length < Math.max(available + minFromDisk, this.#minRestored)) return nothing;
    if (this.#holdsStreams(stored.bytes, isRunning)) return nothing;
    const entry = stored.read();
    if (entry === undefined) return nothing;
    this.#options.prefixCache.put(entry);
    return this.#findCached(sequence, prompt, true);
  }

  /** Tokens that waiting for the leader provides. */
  #followedLength(sequence: Sequence, prompt: readonly number[], leader: Sequence): number {
    const length = completeChunks(sequence.images, commonLength(prompt, leader.tokens));
    // A state that the leader has left behind cannot be copied any more.
    return this.#cutsAnywhere || leader.evaluated < length ? length : 0;
  }

  #isWorthCopying({ length, cells, from }: PrefixSource, isRunning: boolean): boolean {
    // A GPU copies a sequence of any length in the same time.
    if ('slot' in from && this.#options.context.copiesOnDevice) return length >= this.minReuse;
    if ('bytes' in from && (this.#holdsStreams(from.bytes, isRunning) || this.#options.context.copying)) return false;
    const perReused = length < few ? copiedPerReusedOfFew : copiedPerReused;
    return length >= ('slot' in from ? this.minReuse : this.#minRestored) && length * perReused >= cells;
  }

  #holdsStreams(bytes: number, isRunning: boolean): boolean {
    return isRunning && this.#options.hasDeviceMemory && bytes > maxBytesWhileRunning;
  }
}

function canLead(leader: Sequence, sequence: Sequence): boolean {
  if (leader === sequence || leader.partition !== sequence.partition) return false;
  // A leader in the background may stand still.
  if (leader.background && !sequence.background) return false;
  return leader.following === undefined && !hasBegun(leader);
}
