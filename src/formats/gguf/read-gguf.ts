// A strict reader of GGUF headers and a security boundary: every value is checked against a limit and against the size
// of the file, and llama.cpp opens only files that pass.
//
//   file     = "GGUF" version:u32 tensors:u64 entries:u64 { entry } { tensor } padding data
//   entry    = key:string type:u32 value
//   tensor   = name:string dimensions:u32 { size:u64 } type:u32 offset:u64
//   string   = length:u64 bytes
//   array    = type:u32 length:u64 { value }
//
// All values are little-endian. `data` starts at the next multiple of `general.alignment`; offsets of tensors are
// relative to it.

import { isUtf8 } from 'node:buffer';
import { type FileHandle, open } from 'node:fs/promises';
import { type ByteReader, createByteReader, MoreBytesNeeded, malformed, shown } from './byte-reader.ts';
import { ggufLimits } from './limits.ts';
import { createValueReader, type GgufMetadata, type GgufValue } from './metadata.ts';
import { type TensorType, tensorTypes } from './tensor-types.ts';

export interface GgufTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly type: TensorType;
  /** From the start of the file. */
  readonly offset: number;
  readonly bytes: number;
}

export interface Gguf {
  readonly version: number;
  readonly metadata: GgufMetadata;
  readonly tensors: readonly GgufTensor[];
  readonly layout: GgufLayout;
}

interface GgufLayout {
  /** Bytes up to the end of the tensor list. */
  readonly headerBytes: number;
  readonly alignment: number;
  /** The bytes of each metadata entry, key and value, so that they can be copied unchanged. */
  readonly entries: ReadonlyMap<string, ByteSpan>;
}

export interface ByteSpan {
  /** From the start of the file. */
  readonly offset: number;
  readonly bytes: number;
}

interface ReadGgufOptions {
  /** Longer arrays are checked but returned empty. */
  readonly maxArray?: number;
  /** Refuses a vocabulary in which a token occurs twice, at which llama.cpp aborts. Takes longer than the rest. */
  readonly checkTokens?: boolean;
}

interface ByteSource {
  readonly size: number;
  /** Exactly `length` bytes from the start; `length` is at most `size`. */
  readHead(length: number): Promise<Buffer>;
}

export async function readGgufFile(path: string, options: ReadGgufOptions = {}): Promise<Gguf> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const readHead = async (length: number): Promise<Buffer> => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
      return buffer.subarray(0, bytesRead);
    };
    return await readGguf({ size, readHead }, options);
  } finally {
    await file.close();
  }
}

// Most headers fit; a large vocabulary needs a second or third read.
const initialReadBytes = 2 ** 20;

export async function readGguf(source: ByteSource, options: ReadGgufOptions = {}): Promise<Gguf> {
  let length = Math.min(initialReadBytes, source.size);
  for (;;) {
    const head = await source.readHead(length);
    if (head.length < length) throw malformed('it became shorter while it was read');
    try {
      return readHeader(createByteReader(head, source.size), options);
    } catch (error) {
      if (!(error instanceof MoreBytesNeeded)) throw error;
      // The reader has checked that this does not exceed the limit of a header.
      length = Math.min(Math.max(error.bytes, 2 * length), ggufLimits.headerBytes, source.size);
    }
  }
}

function readHeader(reader: ByteReader, options: ReadGgufOptions): Gguf {
  const version = readVersion(reader);
  const tensorCount = readCount(reader, ggufLimits.tensors, 'tensors');
  const entryCount = readCount(reader, ggufLimits.metadataEntries, 'metadata entries');
  const { metadata, entries } = readMetadata(reader, entryCount, options);
  const alignment = alignmentOf(metadata);
  const tensors = readTensors(reader, tensorCount, alignment);
  return { version, metadata, tensors, layout: { headerBytes: reader.offset, alignment, entries } };
}

function readVersion(reader: ByteReader): number {
  const magic = reader.take(4).toString('latin1');
  if (magic !== 'GGUF') throw malformed(`it starts with ${JSON.stringify(magic)}`);
  const version = reader.u32();
  if (version === 2 || version === 3) return version;
  if (version === 0x02000000 || version === 0x03000000) throw malformed('it was written on a big-endian machine');
  throw malformed(`version ${version} is not supported; 2 and 3 are`);
}

function readCount(reader: ByteReader, limit: number, what: string): number {
  const count = reader.u64();
  if (count > limit) throw malformed(`it declares ${count} ${what}; the limit is ${limit}`);
  return count;
}

function readString(reader: ByteReader, limit: number, what: string): string {
  const length = reader.u64();
  if (length > limit) throw malformed(`${what} declares ${length} bytes; the limit is ${limit}`);
  const bytes = reader.take(length);
  // Decoding would make names equal that differ only in invalid bytes.
  if (!isUtf8(bytes)) throw malformed(`${what} is not UTF-8`);
  return bytes.toString('utf8');
}

function readMetadata(reader: ByteReader, count: number, options: ReadGgufOptions) {
  const metadata = new Map<string, GgufValue>();
  const entries = new Map<string, ByteSpan>();
  const { maxArray = ggufLimits.arrayEntries, checkTokens = false } = options;
  const readValue = createValueReader(reader, { maxArray, checkTokens });
  for (let index = 0; index < count; index++) {
    const { offset } = reader;
    const key = readString(reader, ggufLimits.keyBytes, 'a metadata key');
    if (metadata.has(key)) throw malformed(`the metadata key ${JSON.stringify(shown(key))} occurs twice`);
    metadata.set(key, readValue(key));
    entries.set(key, { offset, bytes: reader.offset - offset });
  }
  return { metadata, entries };
}

function alignmentOf(metadata: GgufMetadata): number {
  const alignment = metadata.get('general.alignment') ?? 32;
  const isValid =
    typeof alignment === 'number' && alignment >= 1 && alignment <= 65_536 && (alignment & (alignment - 1)) === 0;
  if (!isValid) throw malformed(`general.alignment is ${typeof alignment === 'number' ? alignment : 'not a number'}`);
  return alignment;
}

function readTensors(reader: ByteReader, count: number, alignment: number): GgufTensor[] {
  const declared: Omit<GgufTensor, 'bytes'>[] = [];
  const names = new Set<string>();
  for (let index = 0; index < count; index++) {
    const tensor = readTensorInfo(reader);
    if (names.has(tensor.name)) throw malformed(`the tensor ${JSON.stringify(shown(tensor.name))} occurs twice`);
    names.add(tensor.name);
    declared.push(tensor);
  }
  const dataStart = Math.ceil(reader.offset / alignment) * alignment;
  return declared.map((tensor) => {
    const bytes = bytesOf(tensor);
    const offset = dataStart + tensor.offset;
    if (tensor.offset % alignment !== 0) throw malformed(`tensor ${shown(tensor.name)} is not aligned`);
    if (!Number.isSafeInteger(offset + bytes) || offset + bytes > reader.fileSize) {
      throw malformed(
        `it is truncated: tensor ${shown(tensor.name)} should end at byte ${offset + bytes} of ${reader.fileSize}`,
      );
    }
    return { ...tensor, offset, bytes };
  });
}

function readTensorInfo(reader: ByteReader): Omit<GgufTensor, 'bytes'> {
  const name = readString(reader, ggufLimits.keyBytes, 'a tensor name');
  const dimensions = reader.u32();
  if (dimensions > ggufLimits.dimensions) throw malformed(`tensor ${shown(name)} declares ${dimensions} dimensions`);
  const shape: number[] = [];
  for (let index = 0; index < dimensions; index++) shape.push(reader.u64());
  const typeNumber = reader.u32();
  const type = tensorTypes.get(typeNumber);
  if (type === undefined) throw malformed(`tensor ${shown(name)} has the unknown type ${typeNumber}`);
  return { name, shape, type, offset: reader.u64() };
}

function bytesOf({ name, shape, type }: Pick<GgufTensor, 'name' | 'shape' | 'type'>): number {
  const elements = shape.reduce((product, size) => product * size, 1);
  const rowLength = shape[0] ?? 1;
  if (!Number.isSafeInteger(elements) || rowLength % type.blockLength !== 0) {
    throw malformed(`tensor ${shown(name)} has the shape ${shape.join(' × ')}, which is invalid for ${type.name}`);
  }
  return (elements / type.blockLength) * type.blockBytes;
}

export async function readSpan(file: FileHandle, { offset, bytes }: ByteSpan): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(bytes);
  for (let done = 0; done < bytes; ) {
    const { bytesRead } = await file.read(buffer, done, bytes - done, offset + done);
    if (bytesRead === 0) throw malformed('it became shorter while it was read');
    done += bytesRead;
  }
  return buffer;
}
