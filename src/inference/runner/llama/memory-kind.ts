// What llama.cpp remembers of a sequence, which decides where the sequence can be cut. A KV cache can be cut at any
// token. A recurrent state belongs to the last token alone. A snapshot of a windowed cache has only the window of the
// last token. llama.cpp copies such a *state* separately from the rest, so that a sequence can be cut wherever its state
// was copied.

import type { LlamaApi } from './bindings/llama-api.ts';
import type { ContextPointer, ModelPointer } from './bindings/pointers.ts';

export type MemoryKind =
  /** A KV cache. */
  | 'attention'
  /** A KV cache, and one for layers with a sliding window. */
  | 'windowed'
  /** A KV cache, and a recurrent state. */
  | 'hybrid'
  | 'recurrent'
  /** All of them; llama.cpp copies them only together. */
  | 'mixed';

export const stateFlags = {
  whole: 0,
  /** Only what cannot be cut. */
  stateOnly: 1,
} as const;

export function memoryKindOf(api: LlamaApi, model: ModelPointer, context: ContextPointer): MemoryKind {
  if (api.modelIsRecurrent(model)) return 'recurrent';
  // Different even for an empty sequence: each cache has a header.
  const hasState = api.stateSize(context, 0, stateFlags.stateOnly) < api.stateSize(context, 0, stateFlags.whole);
  if (api.modelIsHybrid(model)) return hasState ? 'hybrid' : 'mixed';
  return hasState ? 'windowed' : 'attention';
}

/** Whether a sequence can be cut at any token. */
export function canCut(kind: MemoryKind): boolean {
  return kind === 'attention';
}

/** Whether tokens in the middle can be removed. A recurrent state cannot forget them. */
export function canRemoveMiddle(kind: MemoryKind): boolean {
  return kind === 'attention' || kind === 'windowed';
}
