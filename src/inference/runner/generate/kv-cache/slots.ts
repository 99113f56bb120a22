// Gives sequences their slots in the KV cache, with the part of their prompt that was evaluated before: by a live
// sequence, by a finished one in the prefix cache, or by one that evaluates the same prompt now.
//
// Live sequences have the slots 0, 1, 2 … without gaps, because llama.cpp evaluates only adjacent slots in one pass. On a GPU
// the others keep the cells of ended sequences (kept-cells.ts), and cells move between slots within its memory. Prefixes reach
// the prefix cache in main memory when the model rests (docs/adr/0053).

import type { EngineContext } from '../../llama/context.ts';
import { canCut } from '../../llama/memory-kind.ts';
import { positionOf } from '../../vision/image-positions.ts';
import { reusableLength, type Sequence } from '../sequence/sequence.ts';
import type { PrefixWatch } from './block-ledger.ts';
import { commonLength, continuesPrompt, noOverlap, type Overlap } from './coverage.ts';
import type { PrefixDisk } from './disk/prefix-disk.ts';
import { isLong, KeptCells, type KeptPrefix } from './kept-cells.ts';
import { MainMemoryCopies } from './main-memory-copies.ts';
import { limitMarks, marksAfter, planMarks, withPlanned } from './marks.ts';
import type { PrefixCache } from './prefix-cache.ts';
import { PrefixFinder, type PrefixSource } from './prefix-finder.ts';

export interface SlotsOptions {
  readonly context: EngineContext;
  readonly prefixCache: PrefixCache;
  readonly disk?: PrefixDisk | undefined;
  /** Told about the cells that free slots keep. */
  readonly watch?: PrefixWatch | undefined;
  readonly count: number;
  readonly sharesPrefixes: boolean;
  /** Whether the cells are in the memory of a GPU. */
  readonly hasDeviceMemory: boolean;
  /** Whether a token can begin a message. */
  readonly isControl: (token: number) => boolean;
}

// A place where two prompts differ gets a mark if it saves this many tokens.
const minBranch = 32;
// A pass for the header of an answer hardly counts after a longer turn.
const maxShortTurn = 1024;

export class Slots {
  readonly #options: SlotsOptions;
  readonly live: Sequence[] = [];
  readonly #cutsAnywhere: boolean;
  readonly #finder: PrefixFinder;
  /** Empty if the cells are in main memory. */
  readonly #kept: KeptCells;
  readonly #copies: MainMemoryCopies;

  constructor(options: SlotsOptions) {
    this.#options = options;
    this.#cutsAnywhere = canCut(options.context.memory);
    this.#kept = new KeptCells(options.context.canCut, options.watch);
    this.#copies = new MainMemoryCopies(options);
    this.#finder = new PrefixFinder({ ...options, kept: this.#kept });
  }

  get free(): number {
    return this.#options.count - this.live.length;
  }

  /** Whether the next pass makes copies first. Until then, no sequence can be admitted. */
  get copying(): boolean {
    // A sequence without cells may wait for another one, so that no pass would follow.
    return this.#options.context.copying && this.live.some(({ evaluated }) => evaluated > 0);
  }

  /** Gives the sequence a free slot, after a pause with the tokens that it had evaluated if they are still cached. */
  admit(sequence: Sequence): void {
    sequence.slot = this.live.length;
    this.live.push(sequence);
    if (this.#copies.resume(sequence)) this.#kept.remove(sequence.slot);
    else this.#takePrefix(sequence);
  }

  /** Frees the slot of a sequence that will continue. */
  pause(sequence: Sequence): void {
    if (sequence.evaluated > 0) this.#copies.keepPaused(sequence);
    this.#vacate(sequence);
  }

  /** Copies the state of sequences that have reached a mark. To be called after every pass of a prompt. */
  takeMarks(): void {
    if (this.#cutsAnywhere) return;
    for (const sequence of this.live) {
      const { plannedMarks, evaluated } = sequence;
      if (plannedMarks.includes(evaluated)) this.#addMark(sequence);
      if ((plannedMarks[0] ?? evaluated + 1) <= evaluated)
        sequence.plannedMarks = plannedMarks.filter((mark) => mark > evaluated);
    }
  }

  /** Resumes sequences whose leader has evaluated the common prefix, or has ended. */
  settleFollowers(): void {
    if (this.copying && !this.#options.context.copiesOnDevice) return;
    const followers = this.live.filter((sequence) => sequence.following !== undefined);
    if (followers.length === 0) return;
    for (const leader of new Set(followers.map(({ following }) => following?.leader)))
      if (leader?.slot !== undefined) this.#serveFollowers(leader);
    // All are detached before any searches again: two that had the same leader must not wait for each other.
    const stranded = followers.filter(({ following }) => following && following.leader.slot === undefined);
    for (const sequence of stranded) sequence.following = undefined;
    for (const sequence of stranded) this.#takePrefix(sequence);
  }

  /** Frees the slot of a sequence that has ended, if it has one, and keeps the evaluated tokens. */
  release(sequence: Sequence): void {
    this.#options.prefixCache.take(sequence.id);
    if (sequence.slot === undefined) return;
    const { sharesPrefixes, context } = this.#options;
    const isKept = sharesPrefixes && reusableLength(sequence) >= this.#finder.minReuse;
    if (isKept && !context.copiesOnDevice) this.#copies.keep(sequence);
    this.#vacate(sequence, isKept && context.copiesOnDevice ? this.#toKept(sequence) : undefined);
  }

  /** Copies cells that free slots keep to main memory, one sequence at each call. False if nothing is left to copy. */
  spill(): boolean {
    if (this.live.length > 0) return false;
    return this.#kept.list().some((kept) => this.#copies.keepCells(kept));
  }

  #restorePrefix(sequence: Sequence, source: PrefixSource): void {
    const { context } = this.#options;
    const { length, marks, from } = source;
    const slot = slotOf(sequence);
    const end = positionOf(sequence.images, length);
    const restored = this.#bring(from, slot) && this.#cutAt(slot, source) && context.forget(slot, end);
    if (!restored && 'discard' in from) from.discard();
    if (!restored) context.forget(slot, 0);
    sequence.evaluated = restored ? length : 0;
    sequence.reused = sequence.evaluated;
    sequence.marks = restored ? marks.filter((other) => other.length <= length) : [];
    if (restored && !this.#cutsAnywhere) this.#addMark(sequence);
  }

  #bring(from: PrefixSource['from'], slot: number): boolean {
    const { context } = this.#options;
    if ('snapshot' in from) return context.restore(slot, from.snapshot());
    return from.slot === slot || context.copy(from.slot, slot);
  }

  /** Makes the cells of a slot ready to be cut. */
  #cutAt(slot: number, { length, cells, marks }: Pick<PrefixSource, 'length' | 'cells' | 'marks'>): boolean {
    const { context } = this.#options;
    if (length === cells || context.canCut(slot)) return true;
    const state = marks.find((mark) => mark.length === length)?.state;
    return state !== undefined && context.canAccessState && context.restoreState(slot, state);
  }

  #addMark(sequence: Sequence): void {
    const { marks, evaluated: length } = sequence;
    if (marks.some((mark) => mark.length === length) || !this.#options.context.canAccessState) return;
    sequence.marks = [...marks, { length, state: this.#options.context.snapshotState(slotOf(sequence)) }];
  }

  /** Plans marks in the rest of the prompt: at its messages, and where it leaves a known one. */
  #planAhead(sequence: Sequence, overlap: Overlap): void {
    if (this.#cutsAnywhere) return;
    const { tokens, promptLength, evaluated } = sequence;
    const atEnd = continuesPrompt(overlap) && promptLength - evaluated <= maxShortTurn;
    const planned = planMarks(tokens.slice(0, promptLength), { isControl: this.#options.isControl, atEnd });
    const marks = marksAfter(planned, evaluated);
    sequence.plannedMarks = overlap.common - evaluated >= minBranch ? withPlanned(marks, overlap.common) : marks;
  }

  #takePrefix(sequence: Sequence): void {
    if (!this.#options.sharesPrefixes) return;
    const slot = slotOf(sequence);
    const { best, overlap } = this.#finder.find(sequence, this.live, slot);
    const following = this.#finder.findLeader(sequence, this.live, best?.length ?? 0);
    sequence.following = following;
    this.#clear(sequence, following === undefined ? best : undefined);
    if (following !== undefined) {
      if (!this.#cutsAnywhere)
        following.leader.plannedMarks = withPlanned(following.leader.plannedMarks, following.length);
      return;
    }
    if (best !== undefined) {
      this.#restorePrefix(sequence, best);
      if (best.fromDisk) sequence.fromDisk = sequence.reused;
    }
    this.#planAhead(sequence, overlap);
  }

  /** Makes a slot ready for a sequence that begins with `source`. What it keeps moves to a slot that keeps less. */
  #clear(sequence: Sequence, source: PrefixSource | undefined): void {
    const slot = slotOf(sequence);
    const used = source !== undefined && 'slot' in source.from ? source.from.slot : undefined;
    if (used !== undefined) this.#kept.use(used);
    const length = source?.length ?? 0;
    const prefix = this.#kept.at(slot);
    if (prefix !== undefined) this.#displace(sequence, prefix, { used, length });
    // The next turn of a conversation will have all of it.
    if (used !== undefined && length >= (this.#kept.at(used)?.promptLength ?? 0)) this.#kept.remove(used);
    // Cells that are not kept any more may still be there.
    if (used !== slot && this.#options.context.copiesOnDevice) this.#options.context.forget(slot, 0);
  }

  #displace(
    sequence: Sequence,
    prefix: KeptPrefix,
    { used, length }: { readonly used: number | undefined; readonly length: number },
  ): void {
    const slot = slotOf(sequence);
    // The next turn of a conversation has all that is kept, or all but a little.
    const isContinued = used === slot && prefix.tokens.length - length < this.#finder.minReuse;
    const others = this.#freeSlots().filter((other) => other !== used || used === slot);
    const isMoved = !isContinued && this.#kept.isWorthMoving(slot);
    const to = isMoved ? (this.#kept.leastValuable([slot, ...others], sequence.client) ?? slot) : slot;
    if (to !== slot) {
      this.#options.context.copy(slot, to);
      this.#kept.move(slot, to);
    } else this.#kept.remove(slot);
  }

  /** The last ones first: sequences that begin soon need the others. */
  #freeSlots(): number[] {
    return Array.from({ length: this.free }, (_, index) => this.#options.count - 1 - index);
  }

  #serveFollowers(leader: Sequence): void {
    const available = reusableLength(leader);
    const ready = this.live.filter(({ following }) => following?.leader === leader && following.length <= available);
    if (ready.length === 0) return;
    const from = this.#sourceFor(slotOf(leader));
    for (const sequence of ready) {
      const length = sequence.following?.length ?? 0;
      const { marks, evaluated: cells } = leader;
      this.#restorePrefix(sequence, { length, cells, marks, fromDisk: false, from });
      sequence.following = undefined;
      this.#planAhead(sequence, noOverlap);
    }
  }

  /** Through main memory the cells are read once for all. */
  #sourceFor(slot: number): PrefixSource['from'] {
    const { context } = this.#options;
    if (context.copiesOnDevice) return { slot };
    const copy = context.snapshot(slot);
    return { bytes: copy.byteLength, snapshot: () => copy, discard: () => {} };
  }

  /** What the slot of an ended sequence keeps; undefined if it is not worth keeping, or kept elsewhere. */
  #toKept(sequence: Sequence): KeptPrefix | undefined {
    const { context } = this.#options;
    const { partition, images, evaluated, client, session } = sequence;
    const slot = slotOf(sequence);
    const length = reusableLength(sequence);
    const tokens = Int32Array.from(sequence.tokens.slice(0, length));
    if (this.#isElsewhere(sequence, tokens)) return undefined;
    if (length < evaluated && !(context.canCut(slot) && context.forget(slot, positionOf(images, length))))
      return undefined;
    const promptLength = Math.min(sequence.promptLength, length);
    return { tokens, promptLength, marks: limitMarks(sequence.marks), partition, client, session };
  }

  /** Whether another slot provides the tokens of a sequence. */
  #isElsewhere(sequence: Sequence, tokens: Int32Array): boolean {
    const { partition } = sequence;
    if (this.#kept.covers({ tokens, partition })) return true;
    return this.live.some(
      (other) =>
        other !== sequence &&
        other.partition === partition &&
        reusableLength(other) >= tokens.length &&
        this.#options.context.canCut(slotOf(other)) &&
        commonLength(tokens, other.tokens) === tokens.length,
    );
  }

  #move(sequence: Sequence, to: number): void {
    const from = slotOf(sequence);
    this.live[to] = sequence;
    sequence.slot = to;
    if (sequence.evaluated > 0 && !this.#options.context.copy(from, to))
      throw new Error('the KV cache of a sequence cannot be moved');
    this.#options.context.forget(from, 0);
  }

  /** Frees a slot, and keeps what it has, in itself or in another one. */
  #vacate(sequence: Sequence, prefix?: KeptPrefix): void {
    const { context } = this.#options;
    const slot = slotOf(sequence);
    const free = this.#freeSlots();
    sequence.slot = undefined;
    const last = this.live.pop() as Sequence;
    const findOther = () => (prefix && isLong(prefix) ? this.#kept.leastValuable(free, sequence.client) : undefined);
    const keepAt = last === sequence ? slot : findOther();
    if (prefix !== undefined && keepAt !== undefined) {
      if (keepAt !== slot) context.copy(slot, keepAt);
      this.#kept.put(keepAt, prefix, context.canCut(slot));
    }
    if (prefix === undefined || keepAt !== slot) context.forget(slot, 0);
    if (last !== sequence) this.#move(last, slot);
  }
}

function slotOf(sequence: Sequence): number {
  if (sequence.slot === undefined) throw new Error(`request ${sequence.id} has no slot`);
  return sequence.slot;
}
