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
import { createPrefixFinder, type PrefixSource } from './prefix-finder.ts';

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

export function createSlots(options: SlotsOptions) {
  const { context, prefixCache, disk, count, sharesPrefixes, minReuse, isControl } = options;
  const live: Sequence[] = [];
  const cutsAnywhere = canCut(context.memory);
  const finder = createPrefixFinder({ context, prefixCache, disk, minReuse });

  const restorePrefix = (sequence: Sequence, { length, cells, marks, snapshot }: PrefixSource): void => {
    const slot = slotOf(sequence);
    const state = marks.find((mark) => mark.length === length)?.state;
    const restored =
      context.restore(slot, snapshot()) &&
      (cutsAnywhere || length === cells || (state !== undefined && context.restoreState(slot, state))) &&
      context.forget(slot, positionOf(sequence.images, length));
    if (!restored) context.forget(slot, 0);
    sequence.evaluated = restored ? length : 0;
    sequence.reused = sequence.evaluated;
    sequence.marks = restored ? marks.filter((other) => other.length <= length) : [];
    if (restored && !cutsAnywhere) addMark(sequence);
  };

  const addMark = (sequence: Sequence): void => {
    const { marks, evaluated: length } = sequence;
    if (marks.some((mark) => mark.length === length)) return;
    sequence.marks = [...marks, { length, state: context.snapshotState(slotOf(sequence)) }];
  };

  /** Plans marks in the rest of the prompt: at its messages, and where it leaves a known one. */
  const planAhead = (sequence: Sequence, overlap: Overlap): void => {
    if (cutsAnywhere) return;
    const { tokens, promptLength, evaluated } = sequence;
    const atEnd = continuesPrompt(overlap) && promptLength - evaluated <= maxShortTurn;
    const planned = planMarks(tokens.slice(0, promptLength), { isControl, atEnd });
    const marks = marksAfter(planned, evaluated);
    sequence.plannedMarks = overlap.common - evaluated >= minBranch ? withPlanned(marks, overlap.common) : marks;
  };

  const takePrefix = (sequence: Sequence): void => {
    if (!sharesPrefixes) return;
    const { best, overlap } = finder.find(sequence, live);
    const following = finder.findLeader(sequence, live, best?.length ?? 0);
    sequence.following = following;
    if (following !== undefined) {
      if (!cutsAnywhere) following.leader.plannedMarks = withPlanned(following.leader.plannedMarks, following.length);
      return;
    }
    if (best !== undefined) {
      restorePrefix(sequence, best);
      if (best.fromDisk) sequence.fromDisk = sequence.reused;
    }
    planAhead(sequence, overlap);
  };

  const copyOf = (slot: number) => ({ snapshot: context.snapshot(slot), stateBytes: context.stateBytes(slot) });

  const keepPrefix = (sequence: Sequence): void => {
    const { partition, images, evaluated, marks } = sequence;
    const slot = slotOf(sequence);
    const length = reusableLength(sequence);
    const promptLength = Math.min(sequence.promptLength, length);
    const tokens = Int32Array.from(sequence.tokens.slice(0, length));
    if (!sharesPrefixes || context.copying || length < minReuse || prefixCache.covers({ tokens, partition })) return;
    if (length < evaluated && !(cutsAnywhere && context.forget(slot, positionOf(images, length)))) return;
    if (context.snapshotBytes(slot) > prefixCache.capacityBytes) return;
    prefixCache.put({ tokens, promptLength, ...copyOf(slot), marks: limitMarks(marks), partition });
  };

  /** Keeps all cells, also those after a context shift, which no other sequence can use. */
  const keepPaused = (sequence: Sequence): void => {
    const { id, marks, partition, evaluated } = sequence;
    const slot = slotOf(sequence);
    if (context.copying || context.snapshotBytes(slot) > prefixCache.capacityBytes) return;
    const length = reusableLength(sequence);
    const isShared = sharesPrefixes && (cutsAnywhere || length === evaluated);
    const tokens = Int32Array.from(isShared ? sequence.tokens.slice(0, length) : []);
    const promptLength = Math.min(sequence.promptLength, tokens.length);
    prefixCache.put({ tokens, promptLength, ...copyOf(slot), marks: limitMarks(marks), partition, owner: id });
  };

  /** False if the cells are gone. */
  const resume = (sequence: Sequence): boolean => {
    const entry = prefixCache.take(sequence.id);
    if (entry !== undefined && context.restore(slotOf(sequence), entry.snapshot)) return true;
    if (entry !== undefined) context.forget(slotOf(sequence), 0);
    sequence.evaluated = 0;
    sequence.marks = [];
    return false;
  };

  const serveFollowers = (leader: Sequence): void => {
    const available = reusableLength(leader);
    const ready = live.filter(({ following }) => following?.leader === leader && following.length <= available);
    if (ready.length === 0) return;
    const copy = context.snapshot(slotOf(leader));
    for (const sequence of ready) {
      const length = sequence.following?.length ?? 0;
      const { marks, evaluated: cells } = leader;
      restorePrefix(sequence, { length, cells, marks, fromDisk: false, snapshot: () => copy });
      sequence.following = undefined;
      planAhead(sequence, noOverlap);
    }
  };

  const move = (sequence: Sequence, to: number): void => {
    const from = slotOf(sequence);
    live[to] = sequence;
    sequence.slot = to;
    if (sequence.evaluated > 0 && !context.copy(from, to))
      throw new Error('the KV cache of a sequence cannot be moved');
    context.forget(from, 0);
  };

  const vacate = (sequence: Sequence): void => {
    const slot = slotOf(sequence);
    context.forget(slot, 0);
    sequence.slot = undefined;
    const last = live.pop() as Sequence;
    if (last !== sequence) move(last, slot);
  };

  // A sequence without cells may wait for another one, so that no pass would follow.
  const isCopying = (): boolean => context.copying && live.some(({ evaluated }) => evaluated > 0);

  return {
    get free(): number {
      return count - live.length;
    },
    /** Live sequences, by slot. */
    live,
    /** Whether the next pass makes copies first. Until then, no sequence can be admitted. */
    get copying(): boolean {
      return isCopying();
    },
    /** Gives the sequence a free slot, after a pause with the tokens that it had evaluated if they are still cached. */
    admit(sequence: Sequence): void {
      sequence.slot = live.length;
      live.push(sequence);
      if (!resume(sequence)) takePrefix(sequence);
    },
    /** Frees the slot of a sequence that will continue. */
    pause(sequence: Sequence): void {
      keepPaused(sequence);
      vacate(sequence);
    },
    /** Copies the state of sequences that have reached a mark. To be called after every pass of a prompt. */
    takeMarks(): void {
      if (cutsAnywhere) return;
      for (const sequence of live) {
        const { plannedMarks, evaluated } = sequence;
        if (plannedMarks.includes(evaluated)) addMark(sequence);
        if ((plannedMarks[0] ?? evaluated + 1) <= evaluated)
          sequence.plannedMarks = plannedMarks.filter((mark) => mark > evaluated);
      }
    },
    /** Resumes sequences whose leader has evaluated the common prefix, or has ended. */
    settleFollowers(): void {
      if (isCopying()) return;
      const followers = live.filter((sequence) => sequence.following !== undefined);
      if (followers.length === 0) return;
      for (const leader of new Set(followers.map(({ following }) => following?.leader))) {
        if (leader?.slot !== undefined) serveFollowers(leader);
      }
      // All are detached before any searches again: two that had the same leader must not wait for each other.
      const stranded = followers.filter(({ following }) => following && following.leader.slot === undefined);
      for (const sequence of stranded) sequence.following = undefined;
      for (const sequence of stranded) takePrefix(sequence);
    },
    /** Frees the slot of a sequence that has ended, if it has one, and puts the evaluated tokens into the prefix cache. */
    release(sequence: Sequence): void {
      prefixCache.take(sequence.id);
      if (sequence.slot === undefined) return;
      keepPrefix(sequence);
      vacate(sequence);
    },
  };
}

export type Slots = ReturnType<typeof createSlots>;

function slotOf(sequence: Sequence): number {
  if (sequence.slot === undefined) throw new Error(`request ${sequence.id} has no slot`);
  return sequence.slot;
}
