// Shared state in PostgreSQL (docs/adr/0063).

import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';
import type { DatabaseAddress } from '../../base/config/state-address.ts';
import { badConfiguration } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { describeSystemError } from '../../base/process/system-error.ts';
import type {
  EntryChanges,
  QuotaLedger,
  RecordLog,
  SessionListener,
  SharedDocument,
  SharedEntries,
  SharedSessionStore,
  SharedState,
  SharedTexts,
} from '../../base/state/shared-state.ts';
import type { Clock } from '../../base/time/clock.ts';
import { type ClientTls, readAuthorities } from '../../base/tls/client-context.ts';
import { Database, type Query } from './database.ts';
import { Documents } from './documents.ts';
import { EntryTable } from './entry-table.ts';
import { Link } from './link.ts';
import { migrate } from './migrations.ts';
import { createQuotaLedger } from './quota-ledger.ts';
import { createRecordTable } from './record-table.ts';
import { SessionTable } from './session-table.ts';
import { StreamTable } from './stream-table.ts';
import { createTextTable } from './text-table.ts';

interface PostgresStateOptions {
  readonly address: DatabaseAddress;
  /** Empty: the address has the password. */
  readonly passwordFile: string;
  readonly tls: Pick<ClientTls, 'ca' | 'ownCa'>;
  readonly isOptional: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class PostgresState implements SharedState {
  readonly isOptional: boolean;
  readonly quotas: QuotaLedger;
  readonly records: RecordLog;
  readonly streams: StreamTable;
  readonly #database: Database;
  readonly #documents: Documents;
  readonly #entries: EntryTable;
  readonly #sessions: SessionTable;
  readonly #link: Link;

  constructor(options: PostgresStateOptions) {
    const { isOptional, clock, logger } = options;
    this.isOptional = isOptional;
    const database = new Database(() => readConnection(options));
    this.#database = database;
    this.#documents = new Documents(database);
    this.#entries = new EntryTable(database);
    this.#sessions = new SessionTable(database);
    this.streams = new StreamTable(database, clock);
    const server = randomBytes(8).toString('hex');
    this.quotas = createQuotaLedger(database.query, server);
    this.records = createRecordTable(database.query, server);
    this.#link = new Link({
      database,
      clock,
      logger,
      catchUp: (query, isNew) => this.#catchUp(query, isNew),
      onNotice: (subject, text) => {
        if (subject === 'document' || subject === 'session' || subject === 'entries') void this.refresh();
        this.#sessions.onNotice(subject, text);
        this.streams.onNotice(subject, text);
      },
    });
  }

  async open(): Promise<void> {
    await migrate(this.#database);
    await this.#link.open();
  }

  async close(): Promise<void> {
    this.#link.close();
    await this.#database.close();
  }

  isReachable(): boolean {
    return this.#link.isReachable();
  }

  async refresh(): Promise<void> {
    // The link notices that the database cannot be reached.
    await this.#catchUp(this.#database.query, false).catch(() => {});
  }

  declareDocument(name: string, onChange: () => void): SharedDocument {
    return this.#documents.declare(name, onChange);
  }

  declareEntries(kind: string, onChange: (changes: EntryChanges) => void): SharedEntries {
    return this.#entries.declare(kind, onChange);
  }

  declareSessions(listener: SessionListener): SharedSessionStore {
    return this.#sessions.declare(listener);
  }

  textsOf(kind: string, owner: string): SharedTexts {
    return createTextTable(this.#database, { kind, owner });
  }

  async #catchUp(query: Query, isNew: boolean): Promise<void> {
    if (isNew) this.streams.onConnected();
    await this.#documents.catchUp(query);
    await this.#entries.catchUp(query, isNew);
    await this.#sessions.catchUp(query, isNew);
  }
}

const maxPasswordBytes = 1024;

async function readConnection({ address, passwordFile, tls }: PostgresStateOptions) {
  const own = await readAuthorities(tls);
  const authorities = own === undefined ? undefined : [...rootCertificates, own];
  if (passwordFile === '') return { address, authorities };
  if (address.password !== '')
    throw badConfiguration('set the password in HEARTH_STATE or HEARTH_STATE_PASSWORD_FILE, not both');
  const text = await readFile(passwordFile, 'utf8').catch((error: unknown) => {
    throw badConfiguration(`HEARTH_STATE_PASSWORD_FILE cannot be read: ${describeSystemError(error)}`);
  });
  const password = text.trim();
  if (password === '' || Buffer.byteLength(password) > maxPasswordBytes)
    throw badConfiguration('the file of HEARTH_STATE_PASSWORD_FILE has no password');
  return { address: { ...address, password }, authorities };
}
