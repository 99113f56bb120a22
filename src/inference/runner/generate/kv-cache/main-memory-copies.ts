// Copies of sequences in main memory, in the prefix cache: of ended ones whose tokens others can use, of ones that have
// yielded their slot, and of cells that free slots of a GPU keep.

import type { EngineContext } from '../../llama/context.ts';
import { canCut } from '../../llama/memory-kind.ts';
import { positionOf } from '../../vision/image-positions.ts';
import { reusableLength, type Sequence } from '../sequence/sequence.ts';
import type { KeptCells, KeptPrefix } from './kept-cells.ts';
import { limitMarks } from './marks.ts';
import type { PrefixCache } from './prefix-cache.ts';

interface CopySources {
  readonly context: EngineContext;
  readonly prefixCache: PrefixCache;
  readonly sharesPrefixes: boolean;
}

export class MainMemoryCopies {
  readonly #sources: CopySources;
  readonly #cutsAnywhere: boolean;
  /** What was copied from slots. The prefix cache may have evicted it since. */
  readonly #spilled = new WeakSet<KeptPrefix>();

  constructor(sources: CopySources) {
    this.#sources = sources;
    this.#cutsAnywhere = canCut(sources.context.memory);
  }

  /** Keeps the tokens of a sequence that others can use. */
  keep(sequence: Sequence): void {
    const { context, prefixCache } = this.#sources;
    const { partition, images, evaluated, marks, client, session } = sequence;
    const slot = sequence.slot as number;
    const length = reusableLength(sequence);
    const promptLength = Math.min(sequence.promptLength, length);
    const tokens = Int32Array.from(sequence.tokens.slice(0, length));
    if (context.copying || prefixCache.covers({ tokens, partition })) return;
    if (length < evaluated && !(this.#cutsAnywhere && context.forget(slot, positionOf(images, length)))) return;
    if (!this.#fits(slot)) return;
    const of = { partition, client, session };
    prefixCache.put({ tokens, promptLength, ...this.#copyOf(slot), marks: limitMarks(marks), ...of });
  }

  /** Keeps all cells, also those after a context shift, which no other sequence can use. */
  keepPaused(sequence: Sequence): void {
    const { context, prefixCache, sharesPrefixes } = this.#sources;
    const { id, marks, partition, evaluated } = sequence;
    const slot = sequence.slot as number;
    if (context.copying || !this.#fits(slot)) return;
    const length = reusableLength(sequence);
    const isShared = sharesPrefixes && (this.#cutsAnywhere || length === evaluated);
    const tokens = Int32Array.from(isShared ? sequence.tokens.slice(0, length) : []);
    const promptLength = Math.min(sequence.promptLength, tokens.length);
    prefixCache.put({
      tokens,
      promptLength,
      ...this.#copyOf(slot),
      marks: limitMarks(marks),
      partition,
      owner: id,
    });
  }

  /** Gives a sequence its cells back. False if they are gone. */
  resume(sequence: Sequence): boolean {
    const { context, prefixCache } = this.#sources;
    const slot = sequence.slot as number;
    const entry = prefixCache.take(sequence.id);
    if (entry !== undefined && context.restore(slot, entry.snapshot)) return true;
    if (entry !== undefined) context.forget(slot, 0);
    sequence.evaluated = 0;
    sequence.marks = [];
    return false;
  }

  /** Keeps what a free slot has. False if that is not possible, or was done before. */
  keepCells({ slot, prefix, used }: ReturnType<KeptCells['list']>[number]): boolean {
    const { context, prefixCache } = this.#sources;
    if (context.copying || this.#spilled.has(prefix) || prefixCache.covers(prefix) || !this.#fits(slot)) return false;
    this.#spilled.add(prefix);
    prefixCache.put({ ...prefix, ...this.#copyOf(slot) }, used);
    return true;
  }

  #fits(slot: number): boolean {
    return this.#sources.context.snapshotBytes(slot) <= this.#sources.prefixCache.capacityBytes;
  }

  #copyOf(slot: number) {
    const { context } = this.#sources;
    return { snapshot: context.snapshot(slot), stateBytes: context.stateBytes(slot) };
  }
}
