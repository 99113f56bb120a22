// The state of a loaded model: its KV cache and the logits of the last decode. Every sequence has its own part of the
// cache (a stream in llama.cpp), so that neither its speed nor its rounding depends on other sequences. A unified cache
// was measured and rejected (docs/adr/0003).

import type { Batch } from './batch.ts';
import type { LlamaApi } from './bindings/llama-api.ts';
import type { ContextPointer, MemoryPointer } from './bindings/pointers.ts';
import type { BatchStruct } from './bindings/structs.ts';
import { type EmbeddingRows, splitRows } from './embedding-batch.ts';
import { createLogitViews } from './logit-views.ts';
import { canCut, canRemoveMiddle, type MemoryKind, stateFlags } from './memory-kind.ts';

export interface EngineContext {
  readonly pointer: ContextPointer;
  readonly memory: MemoryKind;
  /** Whether positions in the cache can be moved, which a context shift needs. */
  readonly canShift: boolean;
  /** How many of the tokens of the last pass a sequence can forget. */
  readonly rollback: number;
  /**
   * Evaluates a batch. `full` leaves the cache unchanged. Every other failure throws. `fixedThreads`: with all threads, on
   * a busy machine too.
   */
  decode(batch: Batch, options?: { readonly fixedThreads: boolean }): 'done' | 'full';
  /** Evaluates the rows of an image, at most `maxRows` at a time. Every failure but `full` throws. */
  decodeEmbeddings(rows: EmbeddingRows, maxRows: number): 'done' | 'full';
  /** Waits until the last decode has ended. A GPU may still compute when decode returns. */
  wait(): void;
  /** The logits of a row that has them. The memory is llama.cpp's, and valid until the next decode. */
  logits(row: number): Float32Array;
  /** Removes the cells of a sequence from a position on. False if the model cannot remove a part. */
  forget(sequence: number, from: number): boolean;
  /** Removes `count` tokens after the first `keep`, and moves the rest up. */
  shift(sequence: number, range: { readonly keep: number; readonly count: number; readonly length: number }): void;
  /** The size of a snapshot. */
  snapshotBytes(sequence: number): number;
  /** A copy of the cells of a sequence. */
  snapshot(sequence: number): Buffer;
  /** Replaces the cells of a sequence by a snapshot of any sequence. False if that fails, and while `copying`. */
  restore(sequence: number, snapshot: Buffer): boolean;
  /** Replaces the cells of a sequence by those of another one. False if that fails. */
  copy(from: number, to: number): boolean;
  /** Whether GPUs make these copies, in about a millisecond for a sequence of any length. */
  readonly copiesOnDevice: boolean;
  /** Whether the cells of a sequence can be cut at any token. */
  canCut(sequence: number): boolean;
  /** Whether the next decode makes copies on a GPU first. Until then, no cells can be saved or replaced. */
  readonly copying: boolean;
  /** Whether states can be saved and replaced now, with what follows here. */
  readonly canAccessState: boolean;
  /** A copy of the part that belongs to the last token alone: see memory-kind.ts. */
  snapshotState(sequence: number): Buffer;
  /** The size of that copy. */
  stateBytes(sequence: number): number;
  /** Replaces that part, so that the tokens after it can be forgotten. */
  restoreState(sequence: number, state: Buffer): boolean;
}

/** Runs the passes of all contexts of a model. */
export interface Threads {
  /** The number of threads on a quiet machine. */
  readonly limit: number;
  /** Runs llama_decode and returns its result. */
  decode(context: ContextPointer, batch: BatchStruct, options?: PassOptions): number;
  /** Frees the context. */
  free(context: ContextPointer): void;
}

interface PassOptions {
  /** With all threads, on a busy machine too. */
  readonly fixed?: boolean;
  /** Removes what a pass has left that was ended early. It is run again then. Without this, passes are not ended. */
  readonly undo?: (() => void) | undefined;
}

interface ContextOptions {
  readonly vocabularySize: number;
  readonly memory: MemoryKind;
  readonly threads: Threads;
  /** Whether all cells are in the memory of GPUs. The GPU copies the cells of a sequence faster than the processor. */
  readonly onDevice?: boolean;
}

// Copies of this size share a buffer: the pages of a new one take longer than the copy.
const maxScratch = 64 * 2 ** 20;
const decodeDone = 0;
const decodeFull = 1;

export function createContext(
  api: LlamaApi,
  pointer: ContextPointer,
  { vocabularySize, memory: kind, threads, onDevice = false }: ContextOptions,
): EngineContext {
  const memory = api.memory(pointer) as MemoryPointer;
  const logitsAt = createLogitViews(vocabularySize);
  // Rows of the last decode. A row is asked for more than once.
  const rows = new Map<number, Float32Array>();

  const rollback = canRemoveMiddle(kind) ? Number.POSITIVE_INFINITY : api.contextRollback(pointer);
  // llama.cpp would copy a recurrent state as it was before tokens were forgotten.
  const copiesOnDevice = onDevice && (canRemoveMiddle(kind) || rollback === 0);
  let scratch = Buffer.alloc(0);
  let copying = false;
  let shifting = false;

  const read = (sequence: number, flags: number, allocate = Buffer.allocUnsafeSlow): Buffer => {
    const size = api.stateSize(pointer, sequence, flags);
    const data = allocate(size);
    return data.subarray(0, api.stateGet(pointer, data, size, sequence, flags));
  };
  const takeScratch = (size: number): Buffer<ArrayBuffer> => {
    if (size > maxScratch) return Buffer.allocUnsafeSlow(size);
    if (scratch.length < size) scratch = Buffer.allocUnsafeSlow(size);
    return scratch;
  };
  const replace = (sequence: number, data: Buffer, flags: number): boolean =>
    api.stateSet(pointer, data, data.length, sequence, flags) > 0;

  const undo = (batch: Batch): void => {
    for (const [sequence, position] of batch.firstPositions()) api.memoryRemove(memory, sequence, position, -1);
  };

  const run = (struct: BatchStruct, fixed: boolean, undoPass?: () => void): 'done' | 'full' => {
    rows.clear();
    // What comes before the pass cannot be repeated.
    const canUndo = canCut(kind) && !copying && !shifting;
    const code = threads.decode(pointer, struct, { fixed, undo: canUndo ? undoPass : undefined });
    copying = false;
    shifting = false;
    if (code === decodeDone) return 'done';
    if (code === decodeFull) return 'full';
    throw new Error(`llama_decode returned ${code} for ${struct.n_tokens} tokens`);
  };

  const runRows = (embeddings: EmbeddingRows, maxRows: number): 'done' | 'full' => {
    const { sequence, positions, count } = embeddings;
    // With several positions for a row, those of two batches can be the same.
    const isOrdered = count <= maxRows || positions.length === count;
    for (const struct of splitRows(embeddings, maxRows)) {
      const from = struct.pos[0] as number;
      const undoRows = () => void api.memoryRemove(memory, sequence, from, -1);
      if (run(struct, false, isOrdered ? undoRows : undefined) === 'full') return 'full';
    }
    return 'done';
  };

  return {
    pointer,
    memory: kind,
    canShift: canRemoveMiddle(kind) && api.memoryCanShift(memory),
    rollback,
    decode: (batch, { fixedThreads } = { fixedThreads: false }) => run(batch.struct, fixedThreads, () => undo(batch)),
    decodeEmbeddings(embeddings, maxRows) {
      if (embeddings.isCausal) return runRows(embeddings, maxRows);
      api.setCausalAttention(pointer, false);
      try {
        return runRows(embeddings, maxRows);
      } finally {
        api.setCausalAttention(pointer, true);
      }
    },
    wait: () => api.synchronize(pointer),
    logits(row) {
      const known = rows.get(row);
      if (known !== undefined) return known;
      const address = api.logitsAt(pointer, row);
      if (address === null) throw new Error(`row ${row} has no logits`);
      const logits = logitsAt(address);
      rows.set(row, logits);
      return logits;
    },
    forget: (sequence, from) => api.memoryRemove(memory, sequence, from, -1),
    shift(sequence, { keep, count, length }) {
      api.memoryRemove(memory, sequence, keep, keep + count);
      api.memoryAdd(memory, sequence, keep + count, length, -count);
      shifting = true;
    },
    snapshotBytes: (sequence) => api.stateSize(pointer, sequence, stateFlags.whole),
    snapshot: (sequence) => read(sequence, stateFlags.whole),
    restore: (sequence, snapshot) => !copying && replace(sequence, snapshot, stateFlags.whole),
    copy(from, to) {
      if (!copiesOnDevice) return replace(to, read(from, stateFlags.whole, takeScratch), stateFlags.whole);
      // llama.cpp copies all cells that a sequence can have, used or not, at the next decode. Copies are made in order.
      api.memoryCopy(memory, from, to, -1, -1);
      copying = true;
      return true;
    },
    copiesOnDevice,
    get copying() {
      return copying;
    },
    // A copy on a GPU has all cells of a windowed cache. A snapshot has only the last window.
    canCut: (sequence) =>
      canCut(kind) || (onDevice && kind === 'windowed' && api.memoryFirstPosition(memory, sequence) === 0),
    get canAccessState() {
      // A recurrent state is not in the cells that are copied later.
      return !copying || kind === 'hybrid' || kind === 'recurrent';
    },
    stateBytes: (sequence) => api.stateSize(pointer, sequence, stateFlags.stateOnly),
    snapshotState: (sequence) => read(sequence, stateFlags.stateOnly),
    restoreState: (sequence, state) => replace(sequence, state, stateFlags.stateOnly),
  };
}
