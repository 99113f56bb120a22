// Files of a checkpoint in memory.

import type { CheckpointFile } from '../../../src/formats/checkpoint/files/checkpoint-folder.ts';
import type { GgufStream } from '../../../src/formats/checkpoint/gguf-stream.ts';
import type { Files } from './tokenizers.ts';

export function toCheckpointFiles(files: Files): CheckpointFile[] {
  return Object.entries(files).map(([name, content]) => ({
    name,
    size: content.length,
    read: async (offset, length) => Buffer.from(content.subarray(offset, offset + length)),
  }));
}

export async function collectStream({ chunks }: GgufStream): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks()) parts.push(chunk);
  return Buffer.concat(parts);
}
