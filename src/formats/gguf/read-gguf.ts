// A strict reader of GGUF headers: a security border. Nothing in the file is believed before it has been held
// against a limit and against the size of the file, and llama.cpp sees only files that passed.
//
//   file     = "GGUF" version:u32 tensors:u64 entries:u64 { entry } { tensor } padding data
//   entry    = key:string type:u32 value
//   tensor   = name:string dimensions:u32 { size:u64 } type:u32 offset:u64
//   string   = length:u64 bytes
//   array    = type:u32 length:u64 { value }
//
// All little-endian. `data` begins at the next multiple of `general.alignment`, and each tensor's offset counts
// from there.

import { isUtf8 } from 'node:buffer';
import { open } from 'node:fs/promises';
import { type ByteReader, createByteReader, MoreNeeded, malformed, shown } from './byte-reader.ts';
import { limits } from './limits.ts';
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

export interface GgufLayout {
  /** Bytes up to the end of the tensor list. */
  readonly headerBytes: number;
  readonly alignment: number;
  /** Where each entry of the metadata lies, key and value: for whoever copies it, types and all. */
  readonly entries: ReadonlyMap<string, ByteSpan>;
}

export interface ByteSpan {
  /** From the start of the file. */
  readonly offset: number;
  readonly bytes: number;
}

export interface ReadGgufOptions {
  /** Arrays longer than this come back empty; they are walked over and checked all the same. */
  readonly maxArray?: number;
}

export interface ByteSource {
  readonly size: number;
  /** Exactly `length` bytes from the start; `length` is at most `size`. */
  readBeginning(length: number): Promise<Buffer>;
}

export async function readGgufFile(path: string, options: ReadGgufOptions = {}): Promise<Gguf> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const readBeginning = async (length: number): Promise<Buffer> => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
      return buffer.subarray(0, bytesRead);
    };
    return await readGguf({ size, readBeginning }, options);
  } finally {
    await file.close();
  }
}

// Most headers fit; a large vocabulary needs a second or third look.
const initialReadBytes = 2 ** 20;

export async function readGguf(source: ByteSource, options: ReadGgufOptions = {}): Promise<Gguf> {
  let length = Math.min(initialReadBytes, source.size);
  for (;;) {
    const beginning = await source.readBeginning(length);
    if (beginning.length < length) throw malformed('it became shorter while it was read');
    try {
      return readHeader(createByteReader(beginning, source.size), options);
    } catch (error) {
      if (!(error instanceof MoreNeeded)) throw error;
      // Never more than a header may take: the reader has refused to ask for that.
      length = Math.min(Math.max(error.bytes, 2 * length), limits.headerBytes, source.size);
    }
  }
}

function readHeader(reader: ByteReader, { maxArray = limits.arrayEntries }: ReadGgufOptions): Gguf {
  const version = readVersion(reader);
  const tensorCount = readCount(reader, limits.tensors, 'tensors');
  const entryCount = readCount(reader, limits.metadataEntries, 'metadata entries');
  const { metadata, entries } = readMetadata(reader, entryCount, maxArray);
  const alignment = alignmentOf(metadata);
  const tensors = readTensors(reader, tensorCount, alignment);
  return { version, metadata, tensors, layout: { headerBytes: reader.offset, alignment, entries } };
}

function readVersion(reader: ByteReader): number {
  const magic = reader.take(4).toString('latin1');
  if (magic !== 'GGUF') throw malformed(`it begins with ${JSON.stringify(magic)}`);
  const version = reader.u32();
  if (version === 2 || version === 3) return version;
  if (version === 0x02000000 || version === 0x03000000) throw malformed('it was written on a big-endian machine');
  throw malformed(`version ${version} is not known; 2 and 3 are`);
}

function readCount(reader: ByteReader, limit: number, what: string): number {
  const count = reader.u64();
  if (count > limit) throw malformed(`it claims ${count} ${what}; the limit is ${limit}`);
  return count;
}

function readString(reader: ByteReader, limit: number, what: string): string {
  const length = reader.u64();
  if (length > limit) throw malformed(`${what} claims ${length} bytes; the limit is ${limit}`);
  const bytes = reader.take(length);
  // Two names that differ only in broken characters would be the same name here.
  if (!isUtf8(bytes)) throw malformed(`${what} is not UTF-8`);
  return bytes.toString('utf8');
}

function readMetadata(reader: ByteReader, count: number, maxArray: number) {
  const metadata = new Map<string, GgufValue>();
  const entries = new Map<string, ByteSpan>();
  const readValue = createValueReader(reader, maxArray);
  for (let index = 0; index < count; index++) {
    const { offset } = reader;
    const key = readString(reader, limits.keyBytes, 'a metadata key');
    if (metadata.has(key)) throw malformed(`the metadata key ${JSON.stringify(shown(key))} occurs twice`);
    metadata.set(key, readValue(key));
    entries.set(key, { offset, bytes: reader.offset - offset });
  }
  return { metadata, entries };
}

function alignmentOf(metadata: GgufMetadata): number {
  const alignment = metadata.get('general.alignment') ?? 32;
  const usable =
    typeof alignment === 'number' && alignment >= 1 && alignment <= 65_536 && (alignment & (alignment - 1)) === 0;
  if (!usable) throw malformed(`general.alignment is ${typeof alignment === 'number' ? alignment : 'not a number'}`);
  return alignment;
}

function readTensors(reader: ByteReader, count: number, alignment: number): GgufTensor[] {
  const claims: Omit<GgufTensor, 'bytes'>[] = [];
  const names = new Set<string>();
  for (let index = 0; index < count; index++) {
    const claim = readTensorClaim(reader);
    if (names.has(claim.name)) throw malformed(`the tensor ${JSON.stringify(shown(claim.name))} occurs twice`);
    names.add(claim.name);
    claims.push(claim);
  }
  const dataStart = Math.ceil(reader.offset / alignment) * alignment;
  return claims.map((claim) => {
    const bytes = bytesOf(claim);
    const offset = dataStart + claim.offset;
    if (claim.offset % alignment !== 0) throw malformed(`tensor ${shown(claim.name)} is not aligned`);
    if (!Number.isSafeInteger(offset + bytes) || offset + bytes > reader.fileSize) {
      throw malformed(
        `it is cut short: tensor ${shown(claim.name)} should end at byte ${offset + bytes} of ${reader.fileSize}`,
      );
    }
    return { ...claim, offset, bytes };
  });
}

function readTensorClaim(reader: ByteReader): Omit<GgufTensor, 'bytes'> {
  const name = readString(reader, limits.keyBytes, 'a tensor name');
  const dimensions = reader.u32();
  if (dimensions > limits.dimensions) throw malformed(`tensor ${shown(name)} claims ${dimensions} dimensions`);
  const shape: number[] = [];
  for (let index = 0; index < dimensions; index++) shape.push(reader.u64());
  const typeNumber = reader.u32();
  const type = tensorTypes.get(typeNumber);
  if (type === undefined) throw malformed(`tensor ${shown(name)} is of type ${typeNumber}, which is not known`);
  return { name, shape, type, offset: reader.u64() };
}

function bytesOf({ name, shape, type }: Pick<GgufTensor, 'name' | 'shape' | 'type'>): number {
  const elements = shape.reduce((product, size) => product * size, 1);
  const rowLength = shape[0] ?? 1;
  if (!Number.isSafeInteger(elements) || rowLength % type.blockLength !== 0) {
    throw malformed(`tensor ${shown(name)} has the shape ${shape.join(' × ')}, which ${type.name} cannot have`);
  }
  return (elements / type.blockLength) * type.blockBytes;
}
