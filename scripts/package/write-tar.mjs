// Writes a .tar.gz that depends only on its entries: sorted by name, one time for all, owned by root.

import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

const blockBytes = 512;
// The limits of the format ustar.
const nameBytes = 100;
const prefixBytes = 155;

/** Each entry has a name, a mode, and either the text of a file or the source to copy it from. */
export async function writeTarGz(path, entries, { seconds }) {
  const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  await pipeline(Readable.from(tarOf(sorted, seconds)), createGzip({ level: 6 }), createWriteStream(path));
}

async function* tarOf(entries, seconds) {
  for (const { name, mode, text, source } of entries) {
    const content = text === undefined ? undefined : Buffer.from(text);
    const size = content?.length ?? (await stat(source)).size;
    yield headerOf({ name, mode, size, seconds });
    if (content === undefined) yield* createReadStream(source, { end: Math.max(0, size - 1) });
    else yield content;
    yield Buffer.alloc((blockBytes - (size % blockBytes)) % blockBytes);
  }
  // The end of an archive.
  yield Buffer.alloc(2 * blockBytes);
}

function headerOf({ name, mode, size, seconds }) {
  const header = Buffer.alloc(blockBytes);
  const [prefix, rest] = splitName(name);
  const put = (text, offset) => header.write(text, offset, 'utf8');
  const octal = (value, digits) => `${value.toString(8).padStart(digits, '0')}\0`;
  put(rest, 0);
  put(octal(mode, 7), 100);
  put(octal(0, 7), 108);
  put(octal(0, 7), 116);
  put(octal(size, 11), 124);
  put(octal(seconds, 11), 136);
  // The checksum counts its own field as blanks.
  put(' '.repeat(8), 148);
  put('0', 156);
  put('ustar\u000000', 257);
  put('root', 265);
  put('root', 297);
  put(prefix, 345);
  const sum = header.reduce((total, byte) => total + byte, 0);
  put(`${octal(sum, 6)} `, 148);
  return header;
}

/** A long name is split at a slash. */
function splitName(name) {
  if (Buffer.byteLength(name) <= nameBytes) return ['', name];
  const slashes = [...name.matchAll(/\//g)].map(({ index }) => index);
  const split = slashes.find((index) => Buffer.byteLength(name.slice(index + 1)) <= nameBytes);
  if (split === undefined || Buffer.byteLength(name.slice(0, split)) > prefixBytes)
    throw new Error(`the name is too long for an archive: ${name}`);
  return [name.slice(0, split), name.slice(split + 1)];
}
