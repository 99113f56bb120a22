// Gives sequences their places in the KV cache, each with as much of its prompt as has been evaluated already: by a
// live sequence, by a finished one on the shelf, or by one that is on its way through the same prompt right now.
//
// Live sequences always have the places 0, 1, 2 … without gaps: only neighbours go through the model in one pass.

import type { EngineContext } from '../../llama/context.ts';
import { positionOf, wholeChunks } from '../../vision/image-positions.ts';
import { isGenerating, reusableLength, type Sequence } from '../sequence.ts';
import { commonLength, type PrefixCache } from './prefix-cache.ts';

export interface Slots {
  readonly free: number;
  /** Live sequences, by their places. */
  readonly live: readonly Sequence[];
  /** Takes a free place for the sequence. */
  admit(sequence: Sequence): void;
  /** Lets sequences that wait for another one go on, when that one is ready or gone. */
  settleFollowers(): void;
  /** The sequence is over; what it evaluated stays on the shelf. */
  release(sequence: Sequence): void;
}

export interface SlotsOptions {
  readonly context: EngineContext;
  readonly prefixCache: PrefixCache;
  readonly count: number;
  readonly sharesPrefixes: boolean;
}

// Fewer tokens are evaluated faster than they are fetched and kept.
const worthFetching = 32;
const worthFollowing = 64;

/** Something that begins with the first `length` tokens of a prompt. */
interface Source {
  readonly length: number;
  readonly snapshot: () => Buffer;
}

export function createSlots({ context, prefixCache, count, sharesPrefixes }: SlotsOptions): Slots {
  const live: Sequence[] = [];

  const bestLive = (sequence: Sequence, prompt: readonly number[]): Source | undefined => {
    let best: Source | undefined;
    for (const other of live) {
      if (other === sequence) continue;
      const common = commonLength(prompt, other.tokens.slice(0, reusableLength(other)));
      const length = wholeChunks(sequence.images, common);
      if (length > (best?.length ?? 0)) best = { length, snapshot: () => context.snapshot(slotOf(other)) };
    }
    return best;
  };

  const bestShelved = (sequence: Sequence, prompt: readonly number[]): Source | undefined => {
    const found = prefixCache.find(prompt);
    return found && { length: wholeChunks(sequence.images, found.length), snapshot: () => found.entry.snapshot };
  };

  /** Somebody who is on the way through the same prompt, where waiting saves enough over what is there now. */
  const findLeader = (sequence: Sequence, prompt: readonly number[], have: number): Sequence['following'] => {
    let best: Sequence['following'];
    for (const leader of live) {
      if (leader === sequence || leader.following !== undefined || isGenerating(leader)) continue;
      const length = wholeChunks(sequence.images, commonLength(prompt, leader.tokens));
      if (length - have >= worthFollowing && length > (best?.length ?? 0)) best = { leader, length };
    }
    return best;
  };

  const fetch = (sequence: Sequence, length: number, snapshot: Buffer): void => {
    const slot = slotOf(sequence);
    const fetched = context.restore(slot, snapshot) && context.forget(slot, positionOf(sequence.images, length));
    if (!fetched) context.forget(slot, 0);
    sequence.evaluated = fetched ? length : 0;
    sequence.reused = sequence.evaluated;
  };

  const takePrefix = (sequence: Sequence): void => {
    if (!sharesPrefixes) return;
    const prompt = fetchable(sequence);
    const sources = [bestLive(sequence, prompt), bestShelved(sequence, prompt)].filter(
      (source) => source !== undefined,
    );
    const best = sources.sort((a, b) => b.length - a.length)[0];
    sequence.following = findLeader(sequence, prompt, best?.length ?? 0);
    if (sequence.following === undefined && best !== undefined && best.length >= worthFetching) {
      fetch(sequence, best.length, best.snapshot());
    }
  };

  const keepPrefix = (sequence: Sequence): void => {
    const slot = slotOf(sequence);
    const length = reusableLength(sequence);
    const tokens = sequence.tokens.slice(0, length);
    if (!sharesPrefixes || length < worthFetching || prefixCache.covers(tokens)) return;
    if (length < sequence.evaluated && !context.forget(slot, positionOf(sequence.images, length))) return;
    if (context.snapshotBytes(slot) > prefixCache.capacityBytes) return;
    prefixCache.put({ tokens: Int32Array.from(tokens), snapshot: context.snapshot(slot) });
  };

  const serveFollowers = (leader: Sequence): void => {
    const have = reusableLength(leader);
    const ready = live.filter(({ following }) => following?.leader === leader && following.length <= have);
    if (ready.length === 0) return;
    const snapshot = context.snapshot(slotOf(leader));
    for (const sequence of ready) {
      fetch(sequence, sequence.following?.length ?? 0, snapshot);
      sequence.following = undefined;
    }
  };

  const move = (sequence: Sequence, to: number): void => {
    const from = slotOf(sequence);
    const snapshot = sequence.evaluated > 0 ? context.snapshot(from) : undefined;
    context.forget(from, 0);
    live[to] = sequence;
    sequence.slot = to;
    if (snapshot !== undefined && !context.restore(to, snapshot)) throw new Error('the context memory cannot be moved');
  };

  return {
    get free() {
      return count - live.length;
    },
    live,
    admit(sequence) {
      sequence.slot = live.length;
      live.push(sequence);
      takePrefix(sequence);
    },
    settleFollowers() {
      const followers = live.filter((sequence) => sequence.following !== undefined);
      for (const leader of new Set(followers.map(({ following }) => following?.leader))) {
        if (leader?.slot !== undefined) serveFollowers(leader);
      }
      // First all are free, then each looks again: two that waited for the same one must not wait for each other.
      const stranded = followers.filter(({ following }) => following && following.leader.slot === undefined);
      for (const sequence of stranded) sequence.following = undefined;
      for (const sequence of stranded) takePrefix(sequence);
    },
    release(sequence) {
      const slot = slotOf(sequence);
      keepPrefix(sequence);
      context.forget(slot, 0);
      sequence.slot = undefined;
      const last = live.pop() as Sequence;
      if (last !== sequence) move(last, slot);
    },
  };
}

/** The last token of a prompt is always evaluated anew: its logits choose the first token of the answer. */
function fetchable(sequence: Sequence): number[] {
  return sequence.tokens.slice(0, sequence.promptLength - 1);
}

function slotOf(sequence: Sequence): number {
  if (sequence.slot === undefined) throw new Error(`request ${sequence.id} has no place`);
  return sequence.slot;
}
