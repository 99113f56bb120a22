// Where the memory of a loaded model is.

import type { LoadedModel } from './now-data.ts';

export interface MemoryPart {
  readonly device: string;
  readonly bytes: number;
}

/** Main memory last, and only if something is there. */
export function toMemoryParts({ size, size_vram: onGpus, gpu }: LoadedModel): MemoryPart[] {
  const parts = (gpu?.devices ?? []).map(({ name, size_vram: bytes }) => ({ device: name, bytes }));
  const named = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  return [
    ...parts,
    // The server may not know on which of them it is.
    ...(onGpus > named ? [{ device: 'GPU', bytes: onGpus - named }] : []),
    ...(size > onGpus ? [{ device: 'Main memory', bytes: size - onGpus }] : []),
  ];
}
