// An archive whose files are read without being extracted to their names. The whole archive is refused if any part of its
// listing is invalid.

import { HearthError } from '../../base/errors.ts';

export interface ArchiveEntry {
  /** Relative, with slashes; unique in the archive. */
  readonly path: string;
  readonly size: number;
}

export type VisitFile = (entry: ArchiveEntry, content: AsyncIterable<Uint8Array>) => Promise<void>;

export interface Archive {
  /** Regular files, in the order of the archive. */
  readonly entries: readonly ArchiveEntry[];
  /** Visits files in the order of the archive. A visitor may leave the content unread. */
  extract(paths: ReadonlySet<string>, visit: VisitFile): Promise<void>;
}

export const archiveLimits = {
  entries: 20_000,
  pathBytes: 1024,
  /** UTF-16 code units of all paths. The names of 20,000 files in Python packages take about a quarter of it. */
  pathUnitsInAll: 4 * 2 ** 20,
  /** Deflate reaches about 1000. Weights barely compress. */
  ratio: 100,
  /** Bytes that any archive may expand to, whatever its ratio. */
  slack: 2 ** 20,
  zipDirectoryBytes: 6 * 2 ** 20,
  /** The limit for the extended header of each file in a tar file. */
  extendedHeaderBytes: 2 ** 18,
} as const;

/** Entries that are read before other work of the process gets its turn. */
export const entriesPerTurn = 500;

export function invalidArchive(reason: string): HearthError {
  return new HearthError('registry_invalid_response', `the package is not a valid archive: ${reason}`);
}

/** Adds entries and checks their paths and their number. */
export function createEntryList(): { readonly entries: readonly ArchiveEntry[]; add(entry: ArchiveEntry): void } {
  const entries: ArchiveEntry[] = [];
  const paths = new Set<string>();
  let pathUnits = 0;
  return {
    entries,
    add(entry) {
      pathUnits += entry.path.length;
      if (entries.length === archiveLimits.entries || pathUnits > archiveLimits.pathUnitsInAll)
        throw invalidArchive('it has too many files');
      if (paths.has(entry.path)) throw invalidArchive(`two files have the name ${JSON.stringify(entry.path)}`);
      paths.add(entry.path);
      entries.push(entry);
    },
  };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function decodePath(bytes: Uint8Array): string {
  if (bytes.length > archiveLimits.pathBytes) throw invalidArchive('a file name is too long');
  try {
    return utf8.decode(bytes);
  } catch {
    throw invalidArchive('a file name is not UTF-8');
  }
}

/** Throws for a path that could lead out of a folder on any system. */
export function checkPath(path: string): void {
  const parts = path.replace(/\/$/, '').split('/');
  const leaves = parts.some((part) => part === '..' || part === '.' || part === '');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (leaves || /[\\:\u0000-\u001f\u007f]/.test(path))
    throw invalidArchive(`the path ${JSON.stringify(path)} is not allowed`);
}
