// Finds evaluated tokens that a new sequence begins with: in a live sequence, in the prefix cache, or on disk. Also finds
// sequences that are evaluating them now.

import type { EngineContext } from '../../llama/context.ts';
import { canCut } from '../../llama/memory-kind.ts';
import { completeChunks } from '../../vision/image-positions.ts';
import type { PrefixMark } from '../sequence/sequence.ts';
import { hasBegun, reusableLength, type Sequence } from '../sequence/sequence.ts';
import { commonLength, longest, noOverlap, type Overlap, usableLength } from './coverage.ts';
import type { PrefixDisk } from './disk/prefix-disk.ts';
import type { PrefixCache } from './prefix-cache.ts';

/** Evaluated tokens that a sequence can begin with. */
export interface PrefixSource {
  readonly length: number;
  /** Tokens that are copied. */
  readonly cells: number;
  readonly marks: readonly PrefixMark[];
  readonly fromDisk: boolean;
  readonly snapshot: () => Buffer;
}

interface Found {
  readonly best: PrefixSource | undefined;
  readonly overlap: Overlap;
}

/**
 * The fewest tokens that are copied. On the CPU each token of a pass counts: one with four takes twice as long as one with a
 * single token. The BOS token, which all prompts share, is not worth a copy of its own. A GPU with memory of its own evaluates
 * a token in the time that its copy takes, for which all requests wait (docs/adr/0037).
 */
export const minReuse = { mainMemory: 2, deviceMemory: 512 } as const;
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
  readonly minReuse: number;
}

export class PrefixFinder {
  readonly #options: FinderSources;
  readonly #cutsAnywhere: boolean;

  constructor(options: FinderSources) {
    this.#options = options;
    this.#cutsAnywhere = canCut(options.context.memory);
  }

  /** A sequence that evaluates the same prompt, if waiting for it saves enough compared to `available` tokens. */
  findLeader(sequence: Sequence, live: readonly Sequence[], available: number): Sequence['following'] {
    const prompt = sequence.tokens.slice(0, -1);
    let best: Sequence['following'];
    for (const leader of live.filter((other) => canLead(other, sequence))) {
      const length = this.#followedLength(sequence, prompt, leader);
      const saved = leader.tokens.length - leader.evaluated < minFollow ? minFollowShort : minFollow;
      if (length - available >= saved && length >= Math.max(this.#options.minReuse, (best?.length ?? 0) + 1))
        best = { leader, length };
    }
    return best;
  }

  /** The source that provides most tokens of the prompt, and the longest common prefix, which may be longer. */
  find(sequence: Sequence, live: readonly Sequence[]): Found {
    // Without the last token. It is always evaluated: its logits choose the next token.
    const prompt = sequence.tokens.slice(0, -1);
    const inMemory = [this.#findLive(sequence, prompt, live), this.#findCached(sequence, prompt)];
    const available = Math.max(...inMemory.map(({ best }) => best?.length ?? 0));
    const found = [...inMemory, this.#findStored(sequence, prompt, available)];
    const sources = found.flatMap(({ best }) => best ?? []).filter((source) => this.#isWorthCopying(source));
    const best = sources.sort((a, b) => b.length - a.length)[0];
    return { best, overlap: longest(found.map(({ overlap }) => overlap)) };
  }

  #findLive(sequence: Sequence, prompt: readonly number[], live: readonly Sequence[]): Found {
    let best: PrefixSource | undefined;
    let overlap = noOverlap;
    for (const other of live) {
      if (other === sequence || other.partition !== sequence.partition) continue;
      const common = completeChunks(
        sequence.images,
        commonLength(prompt, other.tokens.slice(0, reusableLength(other))),
      );
      overlap = longest([overlap, { common, promptLength: other.promptLength }]);
      const { evaluated: cells, marks, slot } = other;
      const length = usableLength(common, { tokens: { length: cells }, marks }, this.#cutsAnywhere);
      if (slot === undefined || length <= (best?.length ?? 0)) continue;
      best = { length, cells, marks, fromDisk: false, snapshot: () => this.#options.context.snapshot(slot) };
    }
    return { best, overlap };
  }

  #findCached({ images, partition }: Sequence, prompt: readonly number[], fromDisk = false): Found {
    const { best, overlap } = this.#options.prefixCache.find({ tokens: prompt, partition });
    const length = completeChunks(images, best?.length ?? 0);
    // Where an image would be cut, a memory that cannot be cut at any token has no mark.
    if (best === undefined || (length < best.length && !this.#cutsAnywhere)) return { best: undefined, overlap };
    const { entry } = best;
    const snapshot = (): Buffer => {
      this.#options.prefixCache.touch(entry);
      return entry.snapshot;
    };
    return { best: { length, cells: entry.tokens.length, marks: entry.marks, fromDisk, snapshot }, overlap };
  }

  /** Reads a file into the prefix cache if it provides more than there is in memory. */
  #findStored(sequence: Sequence, prompt: readonly number[], available: number): Found {
    const stored = this.#options.disk?.find({ tokens: prompt, partition: sequence.partition });
    if (stored === undefined || stored.length < Math.max(available + minFromDisk, this.#options.minReuse))
      return nothing;
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

  #isWorthCopying({ length, cells }: PrefixSource): boolean {
    return (
      length >= this.#options.minReuse && length * (length < few ? copiedPerReusedOfFew : copiedPerReused) >= cells
    );
  }
}

function canLead(leader: Sequence, sequence: Sequence): boolean {
  if (leader === sequence || leader.partition !== sequence.partition) return false;
  return leader.following === undefined && !hasBegun(leader);
}
