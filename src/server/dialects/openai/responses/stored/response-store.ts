// The responses that later requests can read and continue. They are in memory, and bounded in bytes and age: the oldest
// are removed first, those in the background only when they are finished.

import { HearthError } from '../../../../../base/errors.ts';
import type { Logger } from '../../../../../base/logger.ts';
import type { CallerKey } from '../../../../../base/request/caller-key.ts';
import type { SharedStreams } from '../../../../../base/state/shared-state.ts';
import type { Clock, Timer } from '../../../../../base/time/clock.ts';
import type { Channel } from '../../../../http/message-request.ts';
import type { InputItem } from '../request/input-items.ts';
import type { ResponseEvent } from '../response/events-schema.ts';
import type { ResponseArchive } from './response-archive.ts';
import { createRecord, type RecordOptions, type ResponseRecord } from './response-record.ts';
import { shareResponses } from './shared-responses.ts';

/** Who adds or looks for responses. */
export interface ResponseOwner {
  /** The key of the request, if it has one. */
  readonly key: CallerKey | undefined;
  /** The WebSocket that the request came over, if it did. */
  readonly channel?: Channel | undefined;
}

interface NewResponse extends ResponseOwner {
  readonly isCopy?: boolean;
  /** Called when a copy is removed. */
  readonly onRemoved?: () => void;
}

interface ResponseStoreOptions {
  /** Absent: only this server has its responses. */
  readonly archive?: ResponseArchive | undefined;
  /** What is generated in the background, for other servers. */
  readonly streams?: SharedStreams | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly maxBytes: number;
  readonly maxAgeMs: number;
}

interface Entry {
  /** The id of the key that made it; empty without keys. */
  readonly owner: string;
  /** Only requests over it find the response. */
  readonly channel: Channel | undefined;
  readonly record: ResponseRecord;
  readonly expiry: Timer;
  /** Another server generates it, or has generated it. */
  readonly isCopy: boolean;
  readonly onRemoved: (() => void) | undefined;
  /** Other servers find it. */
  isPublished: boolean;
  bytes: number;
}

// Bytes of a record besides its texts.
const recordOverhead = 2048;

function createLocalResponses({ clock, maxBytes, maxAgeMs }: ResponseStoreOptions) {
  // A map keeps insertion order: the first is the oldest.
  const entries = new Map<string, Entry>();
  let total = 0;

  function remove(id: string): void {
    const entry = entries.get(id);
    if (entry === undefined) return;
    entries.delete(id);
    total -= entry.bytes;
    entry.expiry.cancel();
    if (!entry.isCopy && !entry.record.isFinished()) entry.record.cancel?.();
    entry.onRemoved?.();
  }

  const lastIds = new WeakMap<Channel, string>();
  function replaceLast(channel: Channel, id: string): void {
    const last = lastIds.get(channel);
    if (last === undefined) channel.onceClosed(() => remove(lastIds.get(channel) ?? ''));
    else remove(last);
    lastIds.set(channel, id);
  }

  const mayGo = ({ record }: Entry): boolean => record.cancel === undefined || record.isFinished();

  /** Removes the oldest until this many bytes fit; false if they do not. */
  function makeRoom(bytes: number): boolean {
    for (const [id, entry] of entries) {
      if (total + bytes <= maxBytes) break;
      if (mayGo(entry)) remove(id);
    }
    return total + bytes <= maxBytes;
  }

  function add(
    options: RecordOptions,
    { key, channel, isCopy = false, onRemoved }: NewResponse,
  ): ResponseRecord | undefined {
    const bytes = recordOverhead + sizeOf(options.input);
    if (!makeRoom(bytes)) return undefined;
    const record = createRecord(options);
    const { id } = record;
    const expiry = clock.after(maxAgeMs, () => remove(id));
    const owner = key?.id ?? '';
    const entry: Entry = { owner, channel, record, bytes, expiry, isCopy, onRemoved, isPublished: isCopy };
    if (channel !== undefined) replaceLast(channel, id);
    entries.set(id, entry);
    total += bytes;
    return {
      ...record,
      append(event: ResponseEvent) {
        record.append(event);
        const size = sizeOf(event);
        // The record may have been removed in the meantime.
        if (entries.get(id) !== entry) return;
        entry.bytes += size;
        total += size;
        makeRoom(0);
      },
    };
  }

  return {
    /** Cancels a response that is not finished. */
    remove,
    entryOf: (id: string): Entry | undefined => entries.get(id),
    /** Undefined: it was never stored, or is not any more, or belongs to another key or channel. */
    find(id: string, owner: ResponseOwner): ResponseRecord | undefined {
      const entry = entries.get(id);
      return entry && isVisible(entry, owner) ? entry.record : undefined;
    },
    /** A response of this channel that a failed request has continued cannot be continued again. */
    dropFrom(channel: Channel, id: string): void {
      if (entries.get(id)?.channel === channel) remove(id);
    },
    /** Undefined: there is no room. A response of a channel replaces the one before, and is removed with the channel. */
    add,
    /** The items with these ids, of the input and the output of stored responses. */
    findItems(ids: ReadonlySet<string>, owner: ResponseOwner): Map<string, InputItem> {
      const found = new Map<string, InputItem>();
      if (ids.size === 0) return found;
      for (const { record } of [...entries.values()].filter((entry) => isVisible(entry, owner)))
        for (const item of [...record.input, ...record.response().output])
          if (ids.has(item.id)) found.set(item.id, item as InputItem);
      return found;
    },
    /** Cancels what runs in the background. */
    close(): void {
      for (const id of [...entries.keys()]) remove(id);
    },
  };
}

export function createResponseStore(options: ResponseStoreOptions) {
  const local = createLocalResponses(options);
  return { ...local, ...shareResponses(local, options) };
}

export type ResponseStore = ReturnType<typeof createResponseStore>;

/** To the key that made it, and to administrators. */
function isVisible(entry: Entry, { key, channel }: ResponseOwner): boolean {
  if (entry.channel !== undefined && entry.channel !== channel) return false;
  return entry.owner === (key?.id ?? '') || key?.scope === 'admin';
}

/** An estimate. */
function sizeOf(value: unknown): number {
  return JSON.stringify(value).length;
}

export function responseNotFound(id: string): HearthError {
  return new HearthError('response_not_found', `response "${id.slice(0, 100)}" not found`);
}
