// Responses of other servers, which are copied when they are needed. One in the background is announced when it begins, and its
// events are written while it is generated.

import { HearthError, messageOf, toHearthError } from '../../../../../base/errors.ts';
import type { Logger } from '../../../../../base/logger.ts';
import type { CallerKey } from '../../../../../base/request/caller-key.ts';
import { runOutsideRequests } from '../../../../../base/request/request-scope.ts';
import type { SharedStreams } from '../../../../../base/state/shared-state.ts';
import type { Clock } from '../../../../../base/time/clock.ts';
import { pause } from '../../../../../base/time/pause.ts';
import { StreamCopy } from '../../../../http/resumable/stream-copy.ts';
import type { ResponseEvent } from '../response/events-schema.ts';
import { toFailure } from '../response/run-response.ts';
import type { ResponseArchive } from './response-archive.ts';
import type { RecordOptions, ResponseRecord } from './response-record.ts';

interface Owner {
  readonly key: CallerKey | undefined;
}

interface SharedEntry {
  readonly owner: string;
  readonly channel: unknown;
  readonly record: ResponseRecord;
  readonly isCopy: boolean;
  isPublished: boolean;
}

interface LocalResponses {
  entryOf(id: string): SharedEntry | undefined;
  add(
    options: RecordOptions,
    owner: Owner & { readonly isCopy: true; readonly onRemoved: () => void; readonly channel: undefined },
  ): ResponseRecord | undefined;
  remove(id: string): void;
}

interface SharingOptions {
  /** Absent: only this server has its responses. */
  readonly archive?: ResponseArchive | undefined;
  readonly streams?: SharedStreams | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The archive has all events when the response has ended. */
const keptMs = 60_000;
const retryMs = 1000;

export function shareResponses({ entryOf, add, remove }: LocalResponses, options: SharingOptions) {
  const { archive, streams, clock, logger } = options;
  const running = new Map<string, CopyElsewhere>();
  streams?.onCancel((id) => {
    const entry = entryOf(id);
    if (entry !== undefined && !entry.isCopy && !entry.record.isFinished()) entry.record.cancel?.();
  });

  const store = async (id: string, put: (archive: ResponseArchive, entry: SharedEntry) => Promise<void>) => {
    const entry = entryOf(id);
    if (archive === undefined || entry === undefined || entry.channel !== undefined) return undefined;
    try {
      await put(archive, entry);
      entry.isPublished = true;
      return entry;
    } catch (error) {
      logger.warn('other servers do not have a response', { id, reason: messageOf(error) });
      return undefined;
    }
  };

  const copyFrom = async (from: ResponseArchive, id: string, { key }: Owner): Promise<void> => {
    const found = await from.find(key?.id ?? '', id);
    // Another request may have fetched it.
    if (found === undefined || entryOf(id) !== undefined) return;
    const removal = new AbortController();
    const { initial, input, events } = found;
    const cancel =
      initial.background && streams !== undefined ? () => void streams.cancel(id).catch(() => {}) : undefined;
    const onRemoved = (): void => {
      removal.abort();
      running.delete(id);
    };
    const record = add({ initial, input, cancel }, { key, channel: undefined, isCopy: true, onRemoved });
    if (record === undefined) return;
    appendNew(record, events);
    if (record.isFinished() || streams === undefined) return;
    const copy = { record, streams, archive: from, owner: key?.id ?? '', clock };
    running.set(id, copy);
    void runOutsideRequests(() => followElsewhere(copy, removal.signal)).then(() => running.delete(id));
    await readNow(copy);
  };

  return {
    /** Whether other servers find finished responses. */
    isShared: archive !== undefined,
    /** Finds a response of another server, and forgets one that was removed there. */
    async fetch(id: string, owner: Owner): Promise<void> {
      const known = entryOf(id);
      if (archive === undefined) return;
      if (known === undefined) return copyFrom(archive, id, owner);
      const isOwn = known.owner === (owner.key?.id ?? '');
      // What is known counts while the database is away.
      if (known.isPublished && isOwn && !(await archive.has(known.owner, id).catch(() => true))) return remove(id);
      const copy = running.get(id);
      if (copy !== undefined) await readNow(copy);
    },
    /** Resolves when other servers know a response in the background. Its events are to be appended to the result. */
    async announce(id: string): Promise<Pick<StreamCopy, 'append' | 'end'> | undefined> {
      if (streams === undefined) return undefined;
      const ownerOf = ({ owner }: SharedEntry): string => (owner === '' ? 'anonymous' : owner);
      const entry = await store(id, async (to, found) => {
        const { initial, input } = found.record;
        // The stream is there before anybody can look for it.
        await streams.append({ id, owner: ownerOf(found), first: 0, parts: [] });
        await to.put(found.owner, { initial, input, events: [] });
      });
      if (entry === undefined) return undefined;
      return new StreamCopy({ streams, clock, id, owner: ownerOf(entry), keptFor: keptMs, first: () => 0 });
    },
    /** Resolves when other servers find the response; at once if there are none. */
    async publish(id: string): Promise<void> {
      await store(id, (to, { owner, record, isPublished }) => {
        const { initial, input } = record;
        // One that was announced may have been removed by another server.
        return to.put(owner, { initial, input, events: record.events() }, { replaces: isPublished });
      });
    },
    async removeEverywhere(id: string): Promise<void> {
      const entry = entryOf(id);
      if (entry === undefined) return remove(id);
      await archive?.remove(entry.owner, id);
      if (entry.isCopy && !entry.record.isFinished()) entry.record.cancel?.();
      remove(id);
    },
  };
}

interface CopyElsewhere {
  readonly record: ResponseRecord;
  readonly streams: SharedStreams;
  readonly archive: ResponseArchive;
  readonly owner: string;
  readonly clock: Clock;
}

/** Takes the events that are there. */
async function readNow(copy: CopyElsewhere): Promise<void> {
  const { record, streams } = copy;
  try {
    const texts = await streams.read(record.id, record.events().length);
    appendNew(record, texts.map(toEvent));
  } catch (error) {
    await endWith(copy, toHearthError(error));
  }
}

/** Takes events until the response is finished. Never rejects. */
async function followElsewhere(copy: CopyElsewhere, signal: AbortSignal): Promise<void> {
  const { record, streams, clock } = copy;
  while (!record.isFinished() && !signal.aborted) {
    try {
      for await (const text of streams.follow(record.id, record.events().length, signal))
        appendNew(record, [toEvent(text)]);
      if (!record.isFinished() && !signal.aborted) await endWith(copy, hasEnded());
    } catch (error) {
      await endWith(copy, toHearthError(error)).catch(() => pause(clock, retryMs));
    }
  }
}

/** Rejects with the error while the database is away. */
async function endWith({ record, archive, owner }: CopyElsewhere, error: HearthError): Promise<void> {
  if (error.code === 'state_unreachable') throw error;
  appendNew(record, (await archive.find(owner, record.id))?.events ?? []);
  if (record.isFinished()) return;
  const failure = toFailure(record.response(), error.code === 'answer_dropped' ? hasEnded() : error);
  appendNew(record, [{ ...failure, sequence_number: record.events().length } as ResponseEvent]);
}

/** The number of an event is its index. Events may be read twice. */
function appendNew(record: ResponseRecord, events: readonly ResponseEvent[]): void {
  for (const event of events) if (event.sequence_number === record.events().length) record.append(event);
}

const toEvent = (text: string): ResponseEvent => JSON.parse(text) as ResponseEvent;

function hasEnded(): HearthError {
  return new HearthError('request_failed', 'the server that generated this response has ended');
}
