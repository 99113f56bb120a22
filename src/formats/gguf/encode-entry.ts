// Encodes metadata entries for GGUF. The type numbers are those of the format; metadata.ts reads them.

export type GgufEntry =
  | { readonly type: 'u32' | 'i32' | 'f32'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'strings'; readonly value: readonly string[] }
  | { readonly type: 'bools'; readonly value: readonly boolean[] }
  | { readonly type: 'u8s' | 'i32s' | 'f32s'; readonly value: ArrayLike<number> };

/** Key, type and value. */
export function encodeEntry(key: string, entry: GgufEntry): Buffer {
  return Buffer.concat([encodeString(key), ...encodeValue(entry)]);
}

function encodeValue(entry: GgufEntry): Buffer[] {
  switch (entry.type) {
    case 'u32':
      return [u32(4), u32(entry.value)];
    case 'i32':
      return [u32(5), bytesOf(Int32Array.of(entry.value))];
    case 'f32':
      return [u32(6), bytesOf(Float32Array.of(entry.value))];
    case 'bool':
      return [u32(7), Buffer.from([entry.value ? 1 : 0])];
    case 'string':
      return [u32(8), encodeString(entry.value)];
    case 'strings':
      return [u32(9), u32(8), u64(entry.value.length), encodeStrings(entry.value)];
    case 'bools':
      return [u32(9), u32(7), u64(entry.value.length), Buffer.from(entry.value.map(Number))];
    case 'u8s':
      return [u32(9), u32(0), u64(entry.value.length), Buffer.from(Uint8Array.from(entry.value))];
    case 'i32s':
      return [u32(9), u32(5), u64(entry.value.length), bytesOf(Int32Array.from(entry.value))];
    case 'f32s':
      return [u32(9), u32(6), u64(entry.value.length), bytesOf(Float32Array.from(entry.value))];
  }
}

/** In one buffer: a vocabulary has 300,000 strings. */
function encodeStrings(values: readonly string[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.reduce((sum, value) => sum + 8 + Buffer.byteLength(value), 0));
  let offset = 0;
  for (const value of values) {
    const written = bytes.write(value, offset + 8);
    bytes.writeBigUInt64LE(BigInt(written), offset);
    offset += 8 + written;
  }
  return bytes;
}

/** All supported platforms are little-endian. */
function bytesOf(values: Int32Array | Float32Array): Buffer {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength);
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

export function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

export function encodeString(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([u64(bytes.length), bytes]);
}
