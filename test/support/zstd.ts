// Writes zstd frames without compressing, so that tests need no compressor: blocks are raw or one repeated byte.

const maxBlockBytes = 2 ** 17;

interface FrameFields {
  /** A power of two in bytes. */
  readonly windowLog?: number;
  /** Instead of a window: the frame is one segment of this size. */
  readonly segmentBytes?: number;
  readonly dictionary?: number;
}

/** A frame with these blocks. */
export function zstdFrame(blocks: readonly Buffer[], fields: FrameFields = {}): Buffer {
  const { windowLog = 20, segmentBytes, dictionary = 0 } = fields;
  const isSingle = segmentBytes !== undefined;
  const descriptor = (isSingle ? 0xe0 : 0) | (dictionary > 0 ? 1 : 0);
  const size = Buffer.alloc(isSingle ? 8 : 0);
  if (isSingle) size.writeBigUInt64LE(BigInt(segmentBytes));
  const header = [
    Buffer.of(0x28, 0xb5, 0x2f, 0xfd, descriptor),
    Buffer.from(isSingle ? [] : [(windowLog - 10) << 3]),
    Buffer.from(dictionary > 0 ? [dictionary] : []),
    size,
  ];
  return Buffer.concat([...header, ...blocks, zstdBlock({ type: 0, size: 0, content: Buffer.alloc(0), isLast: true })]);
}

interface Block {
  /** 0: raw, 1: one byte repeated, 2: compressed. */
  readonly type: number;
  readonly size: number;
  readonly content: Uint8Array;
  readonly isLast?: boolean;
}

export function zstdBlock({ type, size, content, isLast = false }: Block): Buffer {
  const header = Buffer.alloc(3);
  header.writeUIntLE(size * 8 + type * 2 + (isLast ? 1 : 0), 0, 3);
  return Buffer.concat([header, content]);
}

/** The largest block, of one byte that is repeated: four bytes. */
export function repeatedBlock(byte: string): Buffer {
  return zstdBlock({ type: 1, size: maxBlockBytes, content: Buffer.from(byte) });
}

/** Bytes that zstd may skip. */
export function skippableFrame(content: Uint8Array): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32LE(0x184d2a53, 0);
  header.writeUInt32LE(content.length, 4);
  return Buffer.concat([header, content]);
}

export function writeZstd(bytes: Uint8Array): Buffer {
  const blocks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += maxBlockBytes) {
    const content = bytes.subarray(at, at + maxBlockBytes);
    blocks.push(zstdBlock({ type: 0, size: content.length, content }));
  }
  return zstdFrame(blocks);
}
