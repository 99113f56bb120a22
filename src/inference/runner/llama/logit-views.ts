// Logits in llama.cpp's memory as arrays, without a copy.

import koffi from 'koffi';
import type { Address } from './bindings/pointers.ts';

// The output buffer moves only when it grows, so there are few addresses. The limit is a safeguard.
const maxViews = 1024;

/** Returns the same array for the same address. */
export function createLogitViews(vocabularySize: number): (address: bigint) => Float32Array {
  const views = new Map<bigint, Float32Array>();
  return (address) => {
    const known = views.get(address);
    if (known !== undefined) return known;
    if (views.size >= maxViews) views.clear();
    const bytes = vocabularySize * Float32Array.BYTES_PER_ELEMENT;
    const view = new Float32Array(koffi.view(address as Address, bytes));
    views.set(address, view);
    return view;
  };
}
