// What several servers share: the port of a database (docs/adr/0063). Without one, each server keeps its own state, in files
// and in memory. Names and texts mean nothing here; the features that use them say what they are.

import { HearthError } from '../errors.ts';

/** Every method that asks the database rejects with `state_unreachable` while it does not answer. */
export interface SharedState {
  /** Connects and reads what is kept in memory. Called once, after all documents and entries are declared. */
  open(): Promise<void>;
  close(): Promise<void>;
  /** False: what is kept in memory may be out of date. */
  isReachable(): boolean;
  /** Whether requests are served without quotas while the database cannot be reached. */
  readonly isOptional: boolean;
  /** Reads what others have changed since the last look. Never rejects. */
  refresh(): Promise<void>;
  declareDocument(name: string, onChange: () => void): SharedDocument;
  /** `onChange` is called with the first entries, and with every change of any server. */
  declareEntries(kind: string, onChange: (changes: EntryChanges) => void): SharedEntries;
  readonly quotas: QuotaLedger;
  declareSessions(listener: SessionListener): SharedSessionStore;
  readonly records: RecordLog;
  /** Texts of an owner, such as the conversations of a key. */
  textsOf(kind: string, owner: string): SharedTexts;
  readonly streams: SharedStreams;
}

/** A small text that every server keeps in memory. */
export interface SharedDocument {
  /** Undefined: there is none yet. */
  text(): string | undefined;
  /** Grows with each change. */
  version(): number;
  /** Replaces the text by that of `edit`, which sees the stored one. One change at a time, in all servers. */
  change<Result>(
    edit: (text: string | undefined) => { readonly text: string; readonly result: Result },
  ): Promise<Result>;
}

/** Texts by their ids; undefined: removed. */
export type EntryChanges = ReadonlyMap<string, string | undefined>;

/** Small texts that every server keeps in memory, and of which each changes on its own. */
export interface SharedEntries {
  /** Stores the changes of `edit`, which is called when all earlier ones are known. One change at a time, in all servers. */
  change<Result>(edit: () => { readonly changes: EntryChanges; readonly result: Result }): Promise<Result>;
}

interface Reservation {
  /** Unique in all servers. */
  readonly id: string;
  readonly key: string;
  /** Tokens of a day (UTC). */
  readonly limit: number;
  readonly tokens: number;
}

export interface Settlement {
  readonly id: string;
  readonly key: string;
  /** Tokens used since the last settlement; they are taken from the reservation. */
  readonly used: number;
  /** The rest of the reservation is given back. */
  readonly isOver: boolean;
}

export interface QuotaLedger {
  /** Counts a request. Resolves with the seconds to wait if there were too many in the last minute, otherwise with 0. */
  takeRequest(key: string, perMinute: number): Promise<number>;
  /** Resolves with the tokens that are reserved, or with the reason why there are none. */
  reserve(reservation: Reservation): Promise<number | 'used' | 'reserved'>;
  /** Adds to a reservation as many of these tokens as are left, and resolves with their number. */
  extend(reservation: Reservation): Promise<number>;
  /** Each number is settled once, also if it is repeated because nobody knows whether the first attempt arrived. */
  settle(settlements: readonly Settlement[], number: number): Promise<void>;
  tokensToday(key: string): Promise<number>;
}

export interface SharedSession {
  /** The hash of the value that a browser has. */
  readonly name: string;
  readonly key: string;
  readonly hash: string;
  /** The time in milliseconds since the epoch. */
  readonly expiresAt: number;
}

export interface SessionListener {
  onAdded(session: SharedSession): void;
  onEnded(name: string): void;
  /** All sessions that exist now; the others have ended. */
  onAll(sessions: readonly SharedSession[]): void;
}

/** Sessions that every server keeps in memory. */
export interface SharedSessionStore {
  /** Ends the oldest sessions of the key beyond one limit, and those of the key with the most beyond the other. */
  add(session: SharedSession, limits: { readonly perKey: number; readonly all: number }): Promise<void>;
  end(name: string): Promise<void>;
}

interface StoredRecord {
  /** Counted by this server: each number is stored once, also if it is repeated because nobody knows whether it arrived. */
  readonly number: number;
  /** The time in milliseconds since the epoch. */
  readonly time: number;
  readonly text: string;
}

export interface RecordLog {
  /** Removes the oldest beyond the limit. */
  append(records: readonly StoredRecord[], maxRecords: number): Promise<void>;
  /** Parts of the log, in the order in which they were stored. */
  read(since: number): AsyncGenerator<readonly string[]>;
}

interface TextEntry {
  readonly id: string;
  /** A short text for lists. */
  readonly head: string;
  readonly bytes: number;
}

export interface SharedTexts {
  list(): Promise<readonly TextEntry[]>;
  /** Undefined if there is none. */
  read(id: string): Promise<string | undefined>;
  readHead(id: string): Promise<string | undefined>;
  write(id: string, head: string, text: string): Promise<void>;
  /** False if there is none. */
  remove(id: string): Promise<boolean>;
  /** No other server changes texts of the owner meanwhile. What `work` does with its texts is stored together, or not at all. */
  lock<Result>(work: (texts: SharedTexts) => Promise<Result>): Promise<Result>;
}

export interface StreamPart {
  readonly number: number;
  readonly text: string;
}

/** Answers that one server writes and every server can read. */
export interface SharedStreams {
  /** All listeners are called when another server wants a stream to end. */
  onCancel(listener: (id: string) => void): void;
  /** Creates the stream with its first parts. Those before `first` are removed. */
  append(stream: StreamWrite): Promise<void>;
  /** `error`: readers get it at the end. The stream is kept for so long. */
  end(id: string, error: string | undefined, keptForMs: number): Promise<void>;
  /** The writer still works on these. Without it, readers are told after a minute that the writer has ended. */
  renew(ids: readonly string[]): Promise<void>;
  remove(id: string): Promise<void>;
  /** Whether another server has read it lately. */
  isRead(id: string): Promise<boolean>;
  /** False if the owner has no such stream. */
  exists(id: string, owner: string): Promise<boolean>;
  /** The parts from this number on that are there. Throws if the stream has ended with an error, or its writer has ended. */
  read(id: string, from: number): Promise<readonly string[]>;
  /** The parts from this number on, also those that are written later. Throws `answer_dropped` if the first of them was removed. */
  follow(id: string, from: number, signal: AbortSignal): AsyncGenerator<string>;
  cancel(id: string): Promise<void>;
}

interface StreamWrite {
  readonly id: string;
  readonly owner: string;
  readonly first: number;
  readonly parts: readonly StreamPart[];
}

const retryAfterSeconds = 5;

export function stateUnreachable(reason: string, cause?: unknown): HearthError {
  const message = `the database with the shared state cannot be reached: ${reason}; try again later`;
  return Object.assign(new HearthError('state_unreachable', message, { cause }), { retryAfterSeconds });
}
