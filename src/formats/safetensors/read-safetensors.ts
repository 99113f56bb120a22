// A strict reader of safetensors headers and a security boundary: every tensor has a known type, a size that follows from
// its shape, and a range of its own inside the file.
//
//   file   = length:u64 header data
//   header = JSON { name: { "dtype", "shape", "data_offsets": [start, end] }, "__metadata__": { … } }
//
// The length is little-endian. Offsets are relative to the start of the data.

import { isUtf8 } from 'node:buffer';
import { HearthError } from '../../base/errors.ts';
import { isCount, isObject, parseJson } from '../../base/json-values.ts';

/** Bytes per value. */
const typeSizes = {
  F64: 8,
  F32: 4,
  F16: 2,
  BF16: 2,
  F8_E4M3: 1,
  F8_E5M2: 1,
  F8_E8M0: 1,
  I64: 8,
  I32: 4,
  I16: 2,
  I8: 1,
  U64: 8,
  U32: 4,
  U16: 2,
  U8: 1,
  BOOL: 1,
} as const;

export type SafetensorsType = keyof typeof typeSizes;

export interface SafetensorsTensor {
  readonly name: string;
  readonly type: SafetensorsType;
  /** The last dimension is contiguous. */
  readonly shape: readonly number[];
  /** From the start of the file. */
  readonly offset: number;
  readonly bytes: number;
}

export interface SafetensorsSource {
  readonly size: number;
  /** Exactly `length` bytes. */
  read(offset: number, length: number): Promise<Buffer>;
}

const lengthBytes = 8;

/** The tensors in the order of their data. */
export async function readSafetensors(source: SafetensorsSource): Promise<SafetensorsTensor[]> {
  if (source.size < lengthBytes) throw malformed(`it has ${source.size} bytes`);
  const length = (await source.read(0, lengthBytes)).readBigUInt64LE(0);
  if (length > BigInt(safetensorsLimits.headerBytes))
    throw malformed(`its header has ${length} bytes; the limit is ${safetensorsLimits.headerBytes}`);
  const dataStart = lengthBytes + Number(length);
  if (dataStart > source.size) throw malformed(`it ends at byte ${source.size}, inside its header`);
  const entries = Object.entries(parseHeader(await source.read(lengthBytes, Number(length))));
  if (entries.length > safetensorsLimits.tensors)
    throw malformed(`it has ${entries.length} tensors; the limit is ${safetensorsLimits.tensors}`);
  const tensors = entries.flatMap(([name, entry]) =>
    name === '__metadata__' ? [] : [readTensor(name, entry, dataStart)],
  );
  tensors.sort((a, b) => a.offset - b.offset || a.bytes - b.bytes);
  checkRanges(tensors, dataStart, source.size);
  return tensors;
}

/** The size of `values` values in bytes. */
function sizeOfValues(type: SafetensorsType, values: number): number {
  return typeSizes[type] * values;
}

function parseHeader(bytes: Buffer): Readonly<Record<string, unknown>> {
  if (!isUtf8(bytes)) throw malformed('its header is not UTF-8');
  const header = parseJson(bytes.toString('utf8'));
  if (header === undefined) throw malformed('its header is not JSON');
  if (!isObject(header)) throw malformed('its header is not a JSON object');
  return header;
}

function readTensor(name: string, entry: unknown, dataStart: number): SafetensorsTensor {
  const label = JSON.stringify(name.slice(0, 80));
  if (name.length > safetensorsLimits.nameLength) throw malformed(`the name ${label} is too long`);
  if (!isObject(entry)) throw malformed(`the tensor ${label} is not described`);
  const { dtype, shape, data_offsets: range } = entry;
  if (typeof dtype !== 'string' || !Object.hasOwn(typeSizes, dtype))
    throw malformed(`the tensor ${label} has an unknown type`);
  const type = dtype as SafetensorsType;
  if (!isSizes(shape) || shape.length > safetensorsLimits.dimensions)
    throw malformed(`the tensor ${label} has an invalid shape`);
  if (!isSizes(range) || range.length !== 2) throw malformed(`the tensor ${label} has an invalid range`);
  const [start, end] = range as [number, number];
  const bytes = sizeOfValues(
    type,
    shape.reduce((product, size) => product * size, 1),
  );
  if (end - start !== bytes)
    throw malformed(`the tensor ${label} has ${end - start} bytes, but its shape needs ${bytes}`);
  return { name, type, shape, offset: dataStart + start, bytes };
}

/** The format forbids holes and overlaps. Overlaps would also let a small file become a large one. */
function checkRanges(tensors: readonly SafetensorsTensor[], dataStart: number, fileSize: number): void {
  let end = dataStart;
  for (const { name, offset, bytes } of tensors) {
    if (offset !== end)
      throw malformed(`the data of the tensor ${JSON.stringify(name.slice(0, 80))} does not follow the previous one`);
    end = offset + bytes;
  }
  if (end !== fileSize) throw malformed(`its tensors end at byte ${end}, but the file has ${fileSize} bytes`);
}

function isSizes(value: unknown): value is number[] {
  return Array.isArray(value) && value.every(isCount);
}

function malformed(what: string): HearthError {
  return new HearthError('bad_request', `not a usable safetensors file: ${what}`);
}

export const safetensorsLimits = {
  /** Bytes of the header. A file of 5 GB has about 100 KB. */
  headerBytes: 32 * 2 ** 20,
  /** Tensors in one file. */
  tensors: 131_072,
  /** Characters of a tensor's name. */
  nameLength: 1024,
  dimensions: 8,
} as const;
