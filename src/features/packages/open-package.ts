// Opens a downloaded package as an archive.

import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { type Digest, parseDigest } from '../../base/digest.ts';
import {
  type Archive,
  type ArchiveEntry,
  archiveLimits,
  entriesPerTurn,
  invalidArchive,
} from '../../formats/archive/archive.ts';
import { readTar } from '../../formats/archive/read-tar.ts';
import { readZip } from '../../formats/archive/read-zip.ts';
import type { PackageSource } from '../../models/package-reference.ts';

export interface OpenPackage {
  readonly archive: Archive;
  /** The digests that the package itself states, by path. Wheels have them. */
  readonly digests: ReadonlyMap<string, Digest>;
  close(): Promise<void>;
}

export async function openPackage(source: PackageSource, path: string): Promise<OpenPackage> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    return { ...(await openers[source](file, path, size)), close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

type Opener = (file: FileHandle, path: string, size: number) => Promise<Omit<OpenPackage, 'close'>>;

const openers: Readonly<Record<PackageSource, Opener>> = {
  async pypi(file, _, size) {
    const read = async (position: number, length: number): Promise<Buffer> => {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, position);
      return buffer.subarray(0, bytesRead);
    };
    const archive = await readZip({ size, read });
    return { archive, digests: await readRecord(archive) };
  },
  async npm(_, path, size) {
    const archive = await readTar({
      compression: 'gzip',
      size,
      open: () => createReadStream(path, { highWaterMark: 2 ** 18 }),
    });
    return { archive: withoutTopFolder(archive), digests: new Map() };
  },
};

// A line is about 150 bytes.
const maxRecordBytes = 4 * 2 ** 20;

/** RECORD lists the files of a wheel: "path,sha256=<base64url>,size". The path can have quotes. */
async function readRecord(archive: Archive): Promise<Map<string, Digest>> {
  const record = archive.entries.find(({ path }) => /^[^/]+\.dist-info\/RECORD$/.test(path));
  if (record === undefined) throw invalidArchive('it is not a wheel: RECORD is missing');
  if (record.size > maxRecordBytes) throw invalidArchive('its RECORD is too large');
  const digests = new Map<string, Digest>();
  const lines = (await readText(archive, record)).split(/\r?\n/, archiveLimits.entries);
  for (const [index, line] of lines.entries()) {
    if ((index + 1) % entriesPerTurn === 0) await setImmediate();
    const [, quoted, plain, hash] = /^(?:"((?:[^"]|"")*)"|([^",]*)),sha256=([A-Za-z0-9_-]{43})=*,\d*$/.exec(line) ?? [];
    const path = quoted?.replaceAll('""', '"') ?? plain;
    if (path === undefined || hash === undefined) continue;
    digests.set(path, parseDigest(`sha256:${Buffer.from(hash, 'base64url').toString('hex')}`));
  }
  return digests;
}

/** For small files. */
export async function readText(archive: Archive, { path }: ArchiveEntry): Promise<string> {
  const chunks: Uint8Array[] = [];
  await archive.extract(new Set([path]), async (_, content) => {
    for await (const chunk of content) chunks.push(chunk);
  });
  return Buffer.concat(chunks).toString('utf8');
}

/** All files of an npm package are in one folder, usually "package". */
function withoutTopFolder({ entries, extract }: Archive): Archive {
  const top = entries[0]?.path.replace(/\/.*$/s, '/') ?? '';
  if (!top.endsWith('/') || !entries.every(({ path }) => path.startsWith(top))) return { entries, extract };
  const shorten = ({ path, size }: ArchiveEntry): ArchiveEntry => ({ path: path.slice(top.length), size });
  return {
    entries: entries.map(shorten),
    extract: (paths, visit) =>
      extract(new Set([...paths].map((path) => top + path)), (entry, content) => visit(shorten(entry), content)),
  };
}
