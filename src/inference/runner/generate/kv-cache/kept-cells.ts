// Cells of ended sequences that free slots keep, so that the next prompt with the same beginning finds them in the memory of
// the GPU. Knows what each free slot holds, and which one is worth least. The cells themselves are moved by slots.ts.

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
import { type NamedTokens, SparedSessions } from './named-sessions.ts';

export interface KeptPrefix extends NamedTokens {
  /** The tokens in the slot. */
  readonly tokens: Int32Array;
  /** Tokens of the prompt among them. */
  readonly promptLength: number;
  readonly marks: readonly PrefixMark[];
  readonly partition: string;
}

interface Kept {
  readonly prefix: KeptPrefix;
  /** How many requests have used it, or a prefix that it replaced. */
  readonly uses: number;
  /** The number of uses of all prefixes at the last one. */
  readonly usedAt: number;
}

// Most answers are never continued. A copy takes the time of some tokens, but all that begin together would wait for theirs.
const minMoved = 512;

/** Whether a prefix that nobody has used is worth a copy. */
export function isLong({ tokens }: KeptPrefix): boolean {
  return tokens.length >= minMoved;
}

interface FoundCells {
  readonly slot: number;
  readonly prefix: KeptPrefix;
  /** Tokens that it provides. */
  readonly length: number;
}

export class KeptCells {
  readonly #canCut: (slot: number) => boolean;
  readonly #watch: PrefixWatch | undefined;
  readonly #slots = new Map<number, Kept>();
  readonly #spared = new SparedSessions();
  #uses = 0;

  /** `canCut`: whether the cells of a slot can be cut at any token. */
  constructor(canCut: (slot: number) => boolean, watch?: PrefixWatch) {
    this.#canCut = canCut;
    this.#watch = watch;
  }

  at(slot: number): KeptPrefix | undefined {
    return this.#slots.get(slot)?.prefix;
  }

  /** Whether what the slot holds is worth a copy, if another sequence needs the slot. */
  isWorthMoving(slot: number): boolean {
    const kept = this.#slots.get(slot);
    return kept !== undefined && (kept.uses > 0 || isLong(kept.prefix));
  }

  /** The slots that provide tokens of a prompt, most tokens first, and the longest common prefix. */
  find({ tokens, partition }: PrefixQuery): { readonly found: readonly FoundCells[]; readonly overlap: Overlap } {
    const found: FoundCells[] = [];
    let overlap = noOverlap;
    for (const [slot, { prefix }] of this.#slots) {
      if (prefix.partition !== partition) continue;
      const common = commonLength(tokens, prefix.tokens);
      overlap = longest([overlap, { common, promptLength: prefix.promptLength }]);
      const length = usableLength(common, prefix, this.#canCut(slot));
      if (length > 0) found.push({ slot, prefix, length });
    }
    return { found: found.sort((a, b) => b.length - a.length), overlap };
  }

  /** Whether a slot provides all of these tokens. */
  covers(query: PrefixQuery): boolean {
    return [...this.#slots].some(([slot, { prefix }]) => provides(prefix, query, this.#canCut(slot)));
  }

  /** Replaces what the slot held, and removes what the new prefix provides too. */
  put(slot: number, prefix: KeptPrefix, canCut: boolean): void {
    let uses = 0;
    for (const [other, kept] of this.#slots) {
      if (!isRedundant(kept.prefix, prefix, canCut)) continue;
      uses = Math.max(uses, kept.uses);
      this.remove(other);
    }
    this.remove(slot);
    this.#slots.set(slot, { prefix, uses, usedAt: ++this.#uses });
    this.#watch?.added(prefix);
  }

  /** Counts a use of what the slot holds. */
  use(slot: number): void {
    const kept = this.#slots.get(slot);
    if (kept === undefined) return;
    this.#slots.set(slot, { ...kept, uses: kept.uses + 1, usedAt: ++this.#uses });
    this.#spared.use(kept.prefix);
  }

  move(from: number, to: number): void {
    const kept = this.#slots.get(from);
    this.#slots.delete(from);
    if (kept === undefined) return;
    this.remove(to);
    this.#slots.set(to, kept);
  }

  remove(slot: number): void {
    const kept = this.#slots.get(slot);
    this.#slots.delete(slot);
    if (kept !== undefined) this.#watch?.removed(kept.prefix);
  }

  /**
   * The one of these slots that holds nothing, or what is worth least; undefined if there are none. `client` needs the
   * slot.
   */
  leastValuable(slots: readonly number[], client: string): number | undefined {
    const empty = slots.find((slot) => !this.#slots.has(slot));
    if (empty !== undefined) return empty;
    const values = new Map(slots.map((slot) => [slot, this.#valueOf(slot)]));
    const fromLeast = slots.toSorted((a, b) => (values.get(a) as number) - (values.get(b) as number));
    const [least, ...others] = fromLeast.flatMap((slot) => this.at(slot) ?? []);
    if (least === undefined) return undefined;
    const victim = this.#spared.chooseVictim([least, ...others], client);
    return fromLeast.find((slot) => this.at(slot) === victim);
  }

  /** All that is kept, and whether it was used. */
  list(): readonly { readonly slot: number; readonly prefix: KeptPrefix; readonly used: boolean }[] {
    return Array.from(this.#slots, ([slot, { prefix, uses }]) => ({ slot, prefix, used: uses > 0 }));
  }

  /** The work that it saves with each use, divided by the time since the last one, in uses of others. */
  #valueOf(slot: number): number {
    const kept = this.#slots.get(slot);
    if (kept === undefined) return 0;
    return (kept.prefix.tokens.length * (1 + kept.uses)) / (1 + this.#uses - kept.usedAt);
  }
}
