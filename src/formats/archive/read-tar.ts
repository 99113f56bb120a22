// A strict reader of tar files, which may be compressed.
//
//   file   = [gzip or zstd] ( { header (512 bytes), data, padding to 512 } zero-block zero-block )
//   header = name 100 … size 12 at 124 … checksum 8 at 148, type at 156 … "ustar" at 257 … prefix 155 at 345
//   types  = "0", NUL: file   "x": extended header of the next file (pax)   "L": long name of the next file (GNU)
//
// A stream cannot be read from the middle: the listing and each extraction decompress it from the start.

import {
  type Archive,
  archiveLimits,
  checkPath,
  createEntryList,
  decodePath,
  invalidArchive,
  type VisitFile,
} from './archive.ts';
import { createStreamReader, decompress, type StreamReader } from './stream-reader.ts';

interface TarSource {
  readonly compression: 'gzip' | 'zstd' | 'none';
  /** Bytes of the file. */
  readonly size: number;
  /** The bytes of the file from the start. */
  open(): AsyncIterable<Uint8Array>;
}

const blockSize = 512;
const zeroBlock = Buffer.alloc(blockSize);
// Folders and extended headers count too.
const maxHeaders = 3 * archiveLimits.entries;

export async function readTar(source: TarSource): Promise<Archive> {
  const list = createEntryList();
  await walk(source, async (entry) => list.add(entry));
  return {
    entries: list.entries,
    async extract(paths, visit) {
      await walk(source, async (entry, content) => {
        if (paths.has(entry.path)) await visit(entry, content);
      });
    },
  };
}

/** What the extended headers say about the next file. */
interface Extension {
  readonly path?: string;
  readonly size?: number;
}

async function walk(source: TarSource, visit: VisitFile): Promise<void> {
  const reader = createStreamReader(expand(source));
  try {
    let extension: Extension = {};
    for (let count = 0; ; count++) {
      const header = await reader.take(blockSize);
      if (header.length === 0 || header.equals(zeroBlock)) break;
      if (header.length < blockSize) throw invalidArchive('it is incomplete');
      if (count === maxHeaders) throw invalidArchive('it has too many files');
      extension = await visitMember(reader, { header, extension, visit });
    }
    // The checksum is at the end.
    while ((await reader.take(blockSize * 128)).length > 0);
  } finally {
    await reader.close();
  }
}

/** Returns the extension for the next file. */
async function visitMember(
  reader: StreamReader,
  { header, extension, visit }: { readonly header: Buffer; readonly extension: Extension; readonly visit: VisitFile },
): Promise<Extension> {
  checkHeader(header);
  const type = String.fromCharCode(header.readUInt8(156));
  const size = extension.size ?? readNumber(header.subarray(124, 136));
  const padding = -size & (blockSize - 1);
  if (type === 'x' || type === 'L') {
    if (size > archiveLimits.extendedHeaderBytes) throw invalidArchive('an extended header is too large');
    const bytes = await takeAll(reader, size);
    await skip(reader, padding);
    return { ...extension, ...(type === 'x' ? parsePax(bytes) : { path: decodePath(untilNul(bytes)) }) };
  }
  const path = extension.path ?? nameIn(header);
  checkPath(path);
  const content = reader.stream(size);
  if ((type === '0' || type === '\0') && !path.endsWith('/')) await visit({ path, size }, content);
  // What the visitor left unread.
  for await (const _ of content);
  await skip(reader, padding);
  return {};
}

function checkHeader(header: Buffer): void {
  // The eight bytes of the checksum itself count as spaces.
  let sum = 8 * 32;
  for (let index = 0; index < blockSize; index++) if (index < 148 || index >= 156) sum += header[index] as number;
  if (sum !== readNumber(header.subarray(148, 156))) throw invalidArchive('a header is corrupt');
}

/** Octal digits, or binary if the first bit is set. */
function readNumber(field: Buffer): number {
  let value = 0;
  if ((field.readUInt8(0) & 0x80) !== 0) {
    for (const byte of [field.readUInt8(0) & 0x7f, ...field.subarray(1)]) value = value * 256 + byte;
  } else {
    const digits = untilNul(field).toString('latin1').trim();
    if (!/^[0-7]*$/.test(digits)) throw invalidArchive('a header is corrupt');
    value = Number.parseInt(digits || '0', 8);
  }
  if (!Number.isSafeInteger(value)) throw invalidArchive('a size is too large');
  return value;
}

function nameIn(header: Buffer): string {
  const name = decodePath(untilNul(header.subarray(0, 100)));
  const isPosix = header.subarray(257, 263).equals(Buffer.from('ustar\0'));
  const prefix = isPosix ? decodePath(untilNul(header.subarray(345, 500))) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** Records of the form "<length> <key>=<value>\n". */
function parsePax(bytes: Buffer): Extension {
  let extension: Extension = {};
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(32, at);
    const length = space === -1 ? 0 : Number(bytes.toString('latin1', at, space));
    const equals = bytes.indexOf('=', space);
    if (
      !Number.isInteger(length) ||
      length <= 0 ||
      at + length > bytes.length ||
      equals === -1 ||
      equals >= at + length
    )
      throw invalidArchive('an extended header is corrupt');
    const key = bytes.toString('latin1', space + 1, equals);
    const value = bytes.subarray(equals + 1, at + length - 1);
    if (key === 'path') extension = { ...extension, path: decodePath(value) };
    if (key === 'size') extension = { ...extension, size: readDecimal(value.toString('latin1')) };
    at += length;
  }
  return extension;
}

function readDecimal(text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw invalidArchive('an extended header is corrupt');
  return value;
}

function untilNul(bytes: Buffer): Buffer {
  const end = bytes.indexOf(0);
  return end === -1 ? bytes : bytes.subarray(0, end);
}

async function takeAll(reader: StreamReader, length: number): Promise<Buffer> {
  const bytes = await reader.take(length);
  if (bytes.length < length) throw invalidArchive('it is incomplete');
  return bytes;
}

async function skip(reader: StreamReader, length: number): Promise<void> {
  await takeAll(reader, length);
}

async function* expand(source: TarSource): AsyncGenerator<Uint8Array> {
  if (source.compression === 'none') return yield* source.open();
  const limit = source.size * archiveLimits.ratio + archiveLimits.slack;
  const compressed = {
    bytes: source.open(),
    method: source.compression,
    damage: 'it is corrupt or incomplete',
  } as const;
  let expanded = 0;
  for await (const chunk of decompress(compressed)) {
    expanded += chunk.length;
    if (expanded > limit) throw invalidArchive(`it expands more than ${archiveLimits.ratio} times`);
    yield chunk;
  }
}
