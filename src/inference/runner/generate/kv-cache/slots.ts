// Gives sequences their slots in the KV cache, with the part of their prompt that was evaluated before: by a live
// sequence, by a finished one in the prefix cache, or by one that evaluates the same prompt now.
//
// Live sequences have the slots 0, 1, 2 … without gaps, because llama.cpp evaluates only adjacent slots in one pass.

import type { EngineContext } from '../../llama/context.ts';
import { canCut } from '../../llama/memory-kind.ts';
import { positionOf } from '../../vision/image-positions.ts';
import { reusableLength, type Sequence } from '../sequence/sequence.ts';
import { continuesPrompt, noOverlap, type Overlap } from './coverage.ts';
import type { PrefixDisk } from './disk/prefix-disk.ts';
import { limitMarks, marksAfter, planMarks, withPlanned } from './marks.ts';
import type { PrefixCache } from './prefix-cache.ts';
import { PrefixFinder, type PrefixSource } from './prefix-finder.ts';

export interface SlotsOptions {
  readonly context: EngineContext;
  readonly prefixCache: PrefixCache;
  readonly disk?: PrefixDisk | undefined;
  readonly count: number;
  readonly sharesPrefixes: boolean;
  /** The fewest tokens that are copied, see prefix-finder.ts. */
  readonly minReuse: number;
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

  constructor(options: SlotsOptions) {
    this.#options = options;
    this.#cutsAnywhere = canCut(options.context.memory);
    this.#finder = new PrefixFinder(options);
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
    if (!this.#resume(sequence)) this.#takePrefix(sequence);
  }

  /** Frees the slot of a sequence that will continue. */
  pause(sequence: Sequence): void {
    this.#keepPaused(sequence);
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
    if (this.copying) return;
    const followers = this.live.filter((sequence) => sequence.following !== undefined);
    if (followers.length === 0) return;
    for (const leader of new Set(followers.map(({ following }) => following?.leader))) {
      if (leader?.slot !== undefined) this.#serveFollowers(leader);
    }
    // All are detached before any searches again: two that had the same leader must not wait for each other.
    const stranded = followers.filter(({ following }) => following && following.leader.slot === undefined);
    for (const sequence of stranded) sequence.following = undefined;
    for (const sequence of stranded) this.#takePrefix(sequence);
  }

  /** Frees the slot of a sequence that has ended, if it has one, and puts the evaluated tokens into the prefix cache. */
  release(sequence: Sequence): void {
    this.#options.prefixCache.take(sequence.id);
    if (sequence.slot === undefined) return;
    this.#keepPrefix(sequence);
    this.#vacate(sequence);
  }

  #restorePrefix(sequence: Sequence, { length, cells, marks, snapshot }: PrefixSource): void {
    const slot = slotOf(sequence);
    const state = marks.find((mark) => mark.length === length)?.state;
    const restored =
      this.#options.context.restore(slot, snapshot()) &&
      (this.#cutsAnywhere ||
        length === cells ||
        (state !== undefined && this.#options.context.restoreState(slot, state))) &&
      this.#options.context.forget(slot, positionOf(sequence.images, length));
    if (!restored) this.#options.context.forget(slot, 0);
    sequence.evaluated = restored ? length : 0;
    sequence.reused = sequence.evaluated;
    sequence.marks = restored ? marks.filter((other) => other.length <= length) : [];
    if (restored && !this.#cutsAnywhere) this.#addMark(sequence);
  }

  #addMark(sequence: Sequence): void {
    const { marks, evaluated: length } = sequence;
    if (marks.some((mark) => mark.length === length)) return;
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
    const { best, overlap } = this.#finder.find(sequence, this.live);
    const following = this.#finder.findLeader(sequence, this.live, best?.length ?? 0);
    sequence.following = following;
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

  #copyOf(slot: number) {
    return { snapshot: this.#options.context.snapshot(slot), stateBytes: this.#options.context.stateBytes(slot) };
  }

  #keepPrefix(sequence: Sequence): void {
    const { partition, images, evaluated, marks } = sequence;
    const slot = slotOf(sequence);
    const length = reusableLength(sequence);
    const promptLength = Math.min(sequence.promptLength, length);
    const tokens = Int32Array.from(sequence.tokens.slice(0, length));
    if (
      !this.#options.sharesPrefixes ||
      this.#options.context.copying ||
      length < this.#options.minReuse ||
      this.#options.prefixCache.covers({ tokens, partition })
    )
      return;
    if (length < evaluated && !(this.#cutsAnywhere && this.#options.context.forget(slot, positionOf(images, length))))
      return;
    if (this.#options.context.snapshotBytes(slot) > this.#options.prefixCache.capacityBytes) return;
    this.#options.prefixCache.put({ tokens, promptLength, ...this.#copyOf(slot), marks: limitMarks(marks), partition });
  }

  /** Keeps all cells, also those after a context shift, which no other sequence can use. */
  #keepPaused(sequence: Sequence): void {
    const { id, marks, partition, evaluated } = sequence;
    const slot = slotOf(sequence);
    if (
      this.#options.context.copying ||
      this.#options.context.snapshotBytes(slot) > this.#options.prefixCache.capacityBytes
    )
      return;
    const length = reusableLength(sequence);
    const isShared = this.#options.sharesPrefixes && (this.#cutsAnywhere || length === evaluated);
    const tokens = Int32Array.from(isShared ? sequence.tokens.slice(0, length) : []);
    const promptLength = Math.min(sequence.promptLength, tokens.length);
    this.#options.prefixCache.put({
      tokens,
      promptLength,
      ...this.#copyOf(slot),
      marks: limitMarks(marks),
      partition,
      owner: id,
    });
  }

  /** False if the cells are gone. */
  #resume(sequence: Sequence): boolean {
    const entry = this.#options.prefixCache.take(sequence.id);
    if (entry !== undefined && this.#options.context.restore(slotOf(sequence), entry.snapshot)) return true;
    if (entry !== undefined) this.#options.context.forget(slotOf(sequence), 0);
    sequence.evaluated = 0;
    sequence.marks = [];
    return false;
  }

  #serveFollowers(leader: Sequence): void {
    const available = reusableLength(leader);
    const ready = this.live.filter(({ following }) => following?.leader === leader && following.length <= available);
    if (ready.length === 0) return;
    const copy = this.#options.context.snapshot(slotOf(leader));
    for (const sequence of ready) {
      const length = sequence.following?.length ?? 0;
      const { marks, evaluated: cells } = leader;
      this.#restorePrefix(sequence, { length, cells, marks, fromDisk: false, snapshot: () => copy });
      sequence.following = undefined;
      this.#planAhead(sequence, noOverlap);
    }
  }

  #move(sequence: Sequence, to: number): void {
    const from = slotOf(sequence);
    this.live[to] = sequence;
    sequence.slot = to;
    if (sequence.evaluated > 0 && !this.#options.context.copy(from, to))
      throw new Error('the KV cache of a sequence cannot be moved');
    this.#options.context.forget(from, 0);
  }

  #vacate(sequence: Sequence): void {
    const slot = slotOf(sequence);
    this.#options.context.forget(slot, 0);
    sequence.slot = undefined;
    const last = this.live.pop() as Sequence;
    if (last !== sequence) this.#move(last, slot);
  }
}

function slotOf(sequence: Sequence): number {
  if (sequence.slot === undefined) throw new Error(`request ${sequence.id} has no slot`);
  return sequence.slot;
}
