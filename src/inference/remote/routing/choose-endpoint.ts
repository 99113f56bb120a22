// The choice among the endpoints that are available: where the longest part of the prompt was evaluated, if the load
// there is not above the bound; otherwise by consistent hashing of the first block, so that prompts that begin alike
// meet at the same endpoint, also if they come through different servers.

import { createHash } from 'node:crypto';
import { loadFactor, maxLocalLoad, quietLoad } from './limits.ts';

export interface Candidate {
  readonly id: string;
  /** Requests there. */
  readonly load: number;
  /** A further request would wait. */
  readonly isFull: boolean;
  /** The endpoint is on this machine, and preferred. */
  readonly isLocal: boolean;
}

interface Choosing {
  readonly candidates: readonly Candidate[];
  /** The hashes of the prompt, the first block first. Empty: nothing can be shared. */
  readonly blocks: readonly string[];
  /** The ids of endpoints that have evaluated a block. */
  readonly holdersOf: (block: string) => readonly string[];
  /** How many tokens of the prompt an endpoint has, as its events say. Absent: unknown, and the blocks decide. */
  readonly matched?: ((id: string) => number) | undefined;
}

/** Undefined if there are no candidates. */
export function chooseEndpoint({ candidates, blocks, holdersOf, matched }: Choosing): string | undefined {
  // A bound of few requests would move conversations by chance: what is known to be there is worth a short wait.
  const eligible = withinBound(preferred(candidates), matched === undefined ? 0 : quietLoad);
  if (eligible.length <= 1) return eligible[0]?.id;
  const holders = matched === undefined ? byBlocks(eligible, blocks, holdersOf) : byTokens(eligible, matched);
  if (holders.length > 0) return leastLoaded(holders).id;
  const [first] = blocks;
  return first === undefined ? leastLoaded(eligible).id : highestRanked(eligible, first).id;
}

function byBlocks(
  eligible: readonly Candidate[],
  blocks: readonly string[],
  holdersOf: Choosing['holdersOf'],
): readonly Candidate[] {
  for (const block of blocks.toReversed()) {
    const known = holdersOf(block);
    const holders = known.length === 0 ? [] : eligible.filter(({ id }) => known.includes(id));
    if (holders.length > 0) return holders;
  }
  return [];
}

function byTokens(eligible: readonly Candidate[], matched: (id: string) => number): readonly Candidate[] {
  const lengths = eligible.map(({ id }) => matched(id));
  const longest = Math.max(...lengths);
  return longest === 0 ? [] : eligible.filter((_, index) => lengths[index] === longest);
}

/** Local ones until they have enough to do; then those that are not full; if all are, all. */
function preferred(candidates: readonly Candidate[]): readonly Candidate[] {
  const free = candidates.filter(({ isFull }) => !isFull);
  const near = free.filter(({ isLocal, load }) => isLocal && load < maxLocalLoad);
  const far = free.filter(({ isLocal }) => !isLocal);
  return [near, far, free, candidates].find((group) => group.length > 0) ?? [];
}

/** The candidates that may take one more request. Never empty: the least loaded one is below the mean. */
function withinBound(candidates: readonly Candidate[], least: number): readonly Candidate[] {
  const total = candidates.reduce((sum, { load }) => sum + load, 0);
  const bound = Math.max(least, Math.ceil((loadFactor * (total + 1)) / candidates.length));
  return candidates.filter(({ load }) => load < bound);
}

function leastLoaded(candidates: readonly Candidate[]): Candidate {
  return candidates.reduce((best, one) => (one.load < best.load ? one : best));
}

/** Rendezvous hashing: an endpoint that joins or leaves moves only the prompts that it gets or had. */
function highestRanked(candidates: readonly Candidate[], block: string): Candidate {
  const rankOf = ({ id }: Candidate): number => createHash('sha256').update(`${block} ${id}`).digest().readUIntBE(0, 6);
  const ranked = candidates.map((candidate) => ({ candidate, rank: rankOf(candidate) }));
  return ranked.reduce((best, one) => (one.rank > best.rank ? one : best)).candidate;
}
