// Gives sequences their slots in the KV cache, with the part of their prompt that was evaluated before: by a live
// sequence, by a finished one in the prefix cache, or by one that evaluates the same prompt now.
//
// Live sequences have the slots 0, 1, 2 … without gaps, because llama.cpp evaluates only adjacent slots in one pass.

import type { EngineContext } from '../../llama/context.ts';
import { completeChunks, positionOf } from '../../vision/image-positions.ts';
import { hasBegun, reusableLength, type Sequence } from '../sequence.ts';
import { commonLength, type PrefixCache } from './prefix-cache.ts';

export interface Slots {
  readonly free: number;
  /** Live sequences, by slot. */
  readonly live: readonly Sequence[];
  /** Gives the sequence a free slot, after a pause with the tokens that it had evaluated if they are still cached. */
  admit(sequence: Sequence): void;
  /** Frees the slot of a sequence that will continue. */
  pause(sequence: Sequence): void;
  /** Resumes sequences whose leader has evaluated the common prefix, or has ended. */
  settleFollowers(): void;
  /** Frees the slot of a sequence that has ended, if it has one, and puts the evaluated tokens into the prefix cache. */
  release(sequence: Sequence): void;
}

export interface SlotsOptions {
  readonly context: EngineContext;
  readonly prefixCache: PrefixCache;
  readonly count: number;
  readonly sharesPrefixes: boolean;
}

// Fewer tokens cost nothing in a pass that is needed anyway: the BOS token, and the start of a turn.
const minReuse = 4;
// Copying a token takes about a two-hundredth of evaluating it, but all tokens of the source are copied.
const copiedPerReused = 64;
// Waiting delays a request by the next part of its leader, so it must save more where that part is long.
const minFollow = 64;
const minFollowShort = 16;

/** Evaluated cells that begin with the first `length` tokens of a prompt. */
interface Source {
  readonly length: number;
  /** Tokens that are copied. */
  readonly cells: number;
  readonly snapshot: () => Buffer;
}

function isWorthCopying({ length, cells }: Source): boolean {
  return length >= minReuse && length * copiedPerReused >= cells;
}

export function createSlots({ context, prefixCache, count, sharesPrefixes }: SlotsOptions): Slots {
  const live: Sequence[] = [];

  const bestLive = (sequence: Sequence, prompt: readonly number[]): Source | undefined => {
    let best: Source | undefined;
    for (const other of live) {
      if (other === sequence || other.partition !== sequence.partition) continue;
      const common = commonLength(prompt, other.tokens.slice(0, reusableLength(other)));
      const length = completeChunks(sequence.images, common);
      if (length <= (best?.length ?? 0)) continue;
      best = { length, cells: other.evaluated, snapshot: () => context.snapshot(slotOf(other)) };
    }
    return best;
  };

  const bestCached = (sequence: Sequence, prompt: readonly number[]): Source | undefined => {
    const found = prefixCache.find({ tokens: prompt, partition: sequence.partition });
    if (found === undefined) return undefined;
    const { tokens, snapshot } = found.entry;
    const length = completeChunks(sequence.images, found.length);
    return { length, cells: tokens.length, snapshot: () => snapshot };
  };

  /** A sequence that evaluates the same prompt, if waiting for it saves enough compared to `available` tokens. */
  const findLeader = (sequence: Sequence, prompt: readonly number[], available: number): Sequence['following'] => {
    let best: Sequence['following'];
    for (const leader of live) {
      if (leader === sequence || leader.partition !== sequence.partition) continue;
      if (leader.following !== undefined || hasBegun(leader)) continue;
      const length = completeChunks(sequence.images, commonLength(prompt, leader.tokens));
      const least = leader.tokens.length - leader.evaluated < minFollow ? minFollowShort : minFollow;
      if (length - available >= least && length > (best?.length ?? 0)) best = { leader, length };
    }
    return best;
  };

  const restorePrefix = (sequence: Sequence, length: number, snapshot: Buffer): void => {
    const slot = slotOf(sequence);
    const restored = context.restore(slot, snapshot) && context.forget(slot, positionOf(sequence.images, length));
    if (!restored) context.forget(slot, 0);
    sequence.evaluated = restored ? length : 0;
    sequence.reused = sequence.evaluated;
  };

  const takePrefix = (sequence: Sequence): void => {
    if (!sharesPrefixes) return;
    // Without the last token. It is always evaluated: its logits choose the next token.
    const prompt = sequence.tokens.slice(0, -1);
    const sources = [bestLive(sequence, prompt), bestCached(sequence, prompt)]
      .filter((source) => source !== undefined)
      .filter(isWorthCopying);
    const best = sources.sort((a, b) => b.length - a.length)[0];
    sequence.following = findLeader(sequence, prompt, best?.length ?? 0);
    if (sequence.following === undefined && best !== undefined) {
      restorePrefix(sequence, best.length, best.snapshot());
    }
  };

  const keepPrefix = (sequence: Sequence): void => {
    const slot = slotOf(sequence);
    const length = reusableLength(sequence);
    const tokens = sequence.tokens.slice(0, length);
    const { partition } = sequence;
    if (!sharesPrefixes || length < minReuse || prefixCache.covers({ tokens, partition })) return;
    if (length < sequence.evaluated && !context.forget(slot, positionOf(sequence.images, length))) return;
    if (context.snapshotBytes(slot) > prefixCache.capacityBytes) return;
    prefixCache.put({ tokens: Int32Array.from(tokens), snapshot: context.snapshot(slot), partition });
  };

  /** Keeps all cells, also those after a context shift, which no other sequence can use. */
  const keepPaused = (sequence: Sequence): void => {
    const slot = slotOf(sequence);
    if (context.snapshotBytes(slot) > prefixCache.capacityBytes) return;
    const shared = sharesPrefixes ? sequence.tokens.slice(0, reusableLength(sequence)) : [];
    const { id: owner, partition } = sequence;
    prefixCache.put({ tokens: Int32Array.from(shared), snapshot: context.snapshot(slot), partition, owner });
  };

  /** False if the cells are gone. */
  const resume = (sequence: Sequence): boolean => {
    const snapshot = prefixCache.take(sequence.id);
    if (snapshot !== undefined && context.restore(slotOf(sequence), snapshot)) return true;
    if (snapshot !== undefined) context.forget(slotOf(sequence), 0);
    sequence.evaluated = 0;
    return false;
  };

  const serveFollowers = (leader: Sequence): void => {
    const available = reusableLength(leader);
    const ready = live.filter(({ following }) => following?.leader === leader && following.length <= available);
    if (ready.length === 0) return;
    const snapshot = context.snapshot(slotOf(leader));
    for (const sequence of ready) {
      restorePrefix(sequence, sequence.following?.length ?? 0, snapshot);
      sequence.following = undefined;
    }
  };

  const move = (sequence: Sequence, to: number): void => {
    const from = slotOf(sequence);
    const snapshot = sequence.evaluated > 0 ? context.snapshot(from) : undefined;
    context.forget(from, 0);
    live[to] = sequence;
    sequence.slot = to;
    if (snapshot !== undefined && !context.restore(to, snapshot))
      throw new Error('the KV cache of a sequence cannot be moved');
  };

  const vacate = (sequence: Sequence): void => {
    const slot = slotOf(sequence);
    context.forget(slot, 0);
    sequence.slot = undefined;
    const last = live.pop() as Sequence;
    if (last !== sequence) move(last, slot);
  };

  return {
    get free() {
      return count - live.length;
    },
    live,
    admit(sequence) {
      sequence.slot = live.length;
      live.push(sequence);
      if (!resume(sequence)) takePrefix(sequence);
    },
    pause(sequence) {
      keepPaused(sequence);
      vacate(sequence);
    },
    settleFollowers() {
      const followers = live.filter((sequence) => sequence.following !== undefined);
      for (const leader of new Set(followers.map(({ following }) => following?.leader))) {
        if (leader?.slot !== undefined) serveFollowers(leader);
      }
      // All are detached before any searches again: two that had the same leader must not wait for each other.
      const stranded = followers.filter(({ following }) => following && following.leader.slot === undefined);
      for (const sequence of stranded) sequence.following = undefined;
      for (const sequence of stranded) takePrefix(sequence);
    },
    release(sequence) {
      prefixCache.take(sequence.id);
      if (sequence.slot === undefined) return;
      keepPrefix(sequence);
      vacate(sequence);
    },
  };
}

function slotOf(sequence: Sequence): number {
  if (sequence.slot === undefined) throw new Error(`request ${sequence.id} has no slot`);
  return sequence.slot;
}
