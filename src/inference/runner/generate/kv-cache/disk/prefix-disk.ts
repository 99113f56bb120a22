// The prefix cache on disk: prefixes that were used or are expensive survive the runner. Files are written behind the
// requests, one at a time. The server removes files when the folder is too large (docs/adr/0032), so a file can be
// missing at any time. A damaged file is removed.

import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, utimesSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../../../base/time/clock.ts';
import { zeroCounters } from '../../../../protocol/counters.ts';
import { formatPrefixFileName, parsePrefixFileName, unfinishedName } from '../../../../protocol/prefix-file-name.ts';
import { commonLength, isRedundant, type PrefixQuery, usableLength } from '../coverage.ts';
import { type CachedPrefix, sizeOf } from '../prefix-cache.ts';
import type { StoredForm } from './portable-state.ts';
import {
  bodyBytes,
  type IndexedPrefix,
  type PrefixContent,
  readBody,
  readIndex,
  writePrefixFile,
} from './prefix-file.ts';
import { hashOf, hashOfTokens } from './prefix-key.ts';
import { isWorthWriting, type WriteCandidate, workOf } from './worth-writing.ts';

interface StoredPrefix {
  readonly length: number;
  /** The size of the file without its index. */
  readonly bytes: number;
  /** Undefined if the file is damaged or gone. */
  read(): CachedPrefix | undefined;
}

export interface PrefixDiskOptions {
  readonly folder: string;
  readonly key: string;
  readonly form: StoredForm;
  readonly cutsAnywhere: boolean;
  readonly contextLength: number;
  readonly modelBytes: number;
  /** Bytes of a file, and of all that waits to be written. */
  readonly maxBytes: number;
  readonly clock: Clock;
  readonly onStored: () => void;
  readonly warn: (message: string) => void;
}

/** A file in the index. */
interface Stored extends IndexedPrefix {
  readonly path: string;
  readonly partition: string;
  readonly marks: IndexedPrefix['head']['marks'];
}

type PrefixUse = Pick<WriteCandidate, 'used' | 'leaving'>;

interface Offer {
  readonly entry: CachedPrefix;
  readonly use: PrefixUse;
}

const maxFiles = 4096;

export class PrefixDisk {
  readonly #options: PrefixDiskOptions;
  readonly counters = zeroCounters('prefixDisk');
  readonly #waiting: Offer[] = [];
  #stored: Stored[] = [];
  #writing: Promise<void> | undefined;
  #disabled = false;

  constructor(options: PrefixDiskOptions) {
    this.#options = options;
    const { folder, key } = options;
    for (const name of listFolder(folder, key)) this.#index(join(folder, name));
  }

  /** The file that provides most tokens. */
  find(query: PrefixQuery): StoredPrefix | undefined {
    const found = this.#findFile(query);
    if (found === undefined) return undefined;
    const { file, length } = found;
    return { length, bytes: bodyBytes(file.head), read: () => this.#read(file, query.partition) };
  }

  /** Writes the prefix if it is worth it. */
  offer(entry: CachedPrefix, use: PrefixUse): void {
    const pending = this.#waiting.reduce((sum, other) => sum + sizeOf(other.entry), 0);
    const isKnown = this.#waiting.some((other) => other.entry === entry);
    if (this.#disabled || isKnown || pending + sizeOf(entry) > this.#options.maxBytes || !this.#isWorth({ entry, use }))
      return;
    this.#waiting.push({ entry, use });
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Resolves when everything that was offered is written. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  /** Removes the file of a prefix that the context does not accept. */
  discard(entry: CachedPrefix): void {
    const path = this.#pathOf(entry);
    const file = this.#stored.find((other) => other.path === path);
    if (file === undefined) return;
    this.counters.prefixFilesDamaged++;
    this.#drop(file);
  }

  #pathOf({ tokens, partition }: CachedPrefix): string {
    const { folder, key, modelBytes } = this.#options;
    const work = workOf(tokens.length, modelBytes);
    return join(folder, formatPrefixFileName({ key, tokens: hashOfTokens(tokens, hashOfPartition(partition)), work }));
  }

  #drop(file: Stored): void {
    this.#stored = this.#stored.filter((other) => other !== file);
    remove(file.path);
  }

  #index(path: string): void {
    try {
      const found = readIndex(path);
      if (found === undefined) this.counters.prefixFilesDamaged++;
      if (found?.head.key === this.#options.key) this.#stored.push(toStored(path, found));
      else remove(path);
    } catch (error) {
      this.#options.warn(`prefix cache on disk: ${String(error)}`);
    }
  }

  /** Tokens of a prompt that a file provides. */
  #usableOf(file: Stored, { tokens, partition }: PrefixQuery): number {
    if (file.partition !== hashOfPartition(partition)) return 0;
    if (file.tokens.length >= this.#options.contextLength || bodyBytes(file.head) > this.#options.maxBytes) return 0;
    return usableLength(commonLength(tokens, file.tokens), file, this.#options.cutsAnywhere);
  }

  #findFile(query: PrefixQuery): { file: Stored; length: number } | undefined {
    let best: { file: Stored; length: number } | undefined;
    for (const file of this.#stored) {
      const length = this.#usableOf(file, query);
      if (length > (best?.length ?? 0)) best = { file, length };
    }
    return best;
  }

  #read(file: Stored, partition: string): CachedPrefix | undefined {
    const whole = this.#options.form.prepare(file.head.parts);
    const states = file.marks.map(({ bytes }) => this.#options.form.prepareState(bytes));
    const buffers = [whole, ...states].flatMap((prepared) => prepared?.parts ?? []);
    try {
      if (whole === undefined || states.includes(undefined) || !readBody(file.path, file, buffers)) {
        this.counters.prefixFilesDamaged++;
        this.#drop(file);
        return undefined;
      }
      utimesSync(file.path, this.#options.clock.now() / 1000, this.#options.clock.now() / 1000);
    } catch {
      // The server has removed it.
      this.#drop(file);
      return undefined;
    }
    this.counters.prefixFilesRead++;
    const marks = file.marks.map(({ length }, place) => ({ length, state: states[place]?.snapshot as Buffer }));
    const { tokens } = file;
    const { snapshot, stateBytes } = whole;
    return { tokens, promptLength: tokens.length, snapshot, stateBytes, marks, partition };
  }

  #isWorth({ entry, use }: Offer): boolean {
    const length = this.#findFile(entry)?.length ?? 0;
    return isWorthWriting({
      tokens: entry.tokens.length,
      stored: length,
      modelBytes: this.#options.modelBytes,
      ...use,
    });
  }

  async #write(entry: CachedPrefix): Promise<void> {
    const content = toContent(entry, this.#options.form, this.#options.key);
    if (content === undefined || bodyBytes(content.head) > this.#options.maxBytes) return;
    const unfinished = join(this.#options.folder, unfinishedName(randomBytes(8).toString('hex')));
    const path = this.#pathOf(entry);
    let written: IndexedPrefix;
    try {
      written = await writePrefixFile(unfinished, content);
      await rename(unfinished, path);
    } catch (error) {
      // The disk may be full. Writing is not tried again before the next load.
      this.#disabled = true;
      this.#options.warn(`prefix cache on disk: ${String(error)}`);
      await rm(unfinished, { force: true });
      return;
    }
    this.counters.prefixFilesWritten++;
    const file = toStored(path, written);
    this.#stored = this.#stored.filter((other) => other.path !== path);
    for (const other of this.#stored) if (isRedundant(other, file, this.#options.cutsAnywhere)) this.#drop(other);
    this.#stored.push(file);
    this.#options.onStored();
  }

  async #writeAll(): Promise<void> {
    for (let offer = this.#waiting.shift(); offer !== undefined && !this.#disabled; offer = this.#waiting.shift()) {
      // Not if it was written since it was offered.
      if (this.#isWorth(offer)) await this.#write(offer.entry);
    }
  }
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The file stays, and is found damaged again after the next load.
  }
}

function toStored(path: string, found: IndexedPrefix): Stored {
  return { ...found, path, partition: found.head.partition, marks: found.head.marks };
}

/** Undefined if the snapshot is not as expected. */
function toContent(entry: CachedPrefix, form: StoredForm, key: string): PrefixContent | undefined {
  const { tokens, snapshot, stateBytes, marks } = entry;
  const parts = form.split(snapshot, stateBytes);
  const states = marks.map(({ state }) => form.splitState(state));
  if (parts === undefined || states.includes(undefined)) return undefined;
  const body = [...parts, ...(states as Buffer[])];
  const sizes = marks.map(({ length }, index) => ({ length, bytes: states[index]?.length ?? 0 }));
  const partition = hashOfPartition(entry.partition);
  const head = { key, partition, tokens: tokens.length, parts: parts.map(({ length }) => length), marks: sizes };
  return { head, tokens, body };
}

/** The name of a caller's key is not written to disk. */
function hashOfPartition(partition: string): string {
  return partition === '' ? '' : hashOf(partition);
}

function listFolder(folder: string, key: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => key.startsWith(parsePrefixFileName(name)?.key ?? ' '));
    return names.slice(0, maxFiles);
  } catch {
    return [];
  }
}
