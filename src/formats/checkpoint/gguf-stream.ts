// The result of a conversion: its size, and its bytes in order. Only the header and one block are in memory.

import { ggufLimits } from '../gguf/limits.ts';
import { aligned, writeGgufHeader } from '../gguf/write-gguf-header.ts';
import type { Metadata } from './config/metadata.ts';
import { unusable } from './files/checkpoint-error.ts';
import { type OutputTensor, toGgufTensor } from './tensors/output-tensor.ts';
import { readData } from './tensors/read-data.ts';

const version = 3;
const alignment = 32;

export function toGgufStream(metadata: Metadata, tensors: readonly OutputTensor[]) {
  const described = tensors.map(toGgufTensor);
  const header = writeGgufHeader({ version, alignment, entries: metadata.encode(), tensors: described });
  if (header.length > ggufLimits.headerBytes) throw unusable(`its metadata has ${header.length} bytes`);

  async function* chunks(): AsyncGenerator<Buffer> {
    yield header;
    for (const [index, tensor] of tensors.entries()) {
      yield* readData(tensor);
      const bytes = described[index]?.bytes ?? 0;
      const padding = aligned(bytes, alignment) - bytes;
      if (padding > 0) yield Buffer.alloc(padding);
    }
  }

  return { bytes: described.reduce((sum, { bytes }) => sum + aligned(bytes, alignment), header.length), chunks };
}

export type GgufStream = ReturnType<typeof toGgufStream>;
