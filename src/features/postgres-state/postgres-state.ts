// Shared state in PostgreSQL (docs/adr/0063).

import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';
import type { DatabaseAddress } from '../../base/config/state-address.ts';
import { badConfiguration } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { describeSystemError } from '../../base/process/system-error.ts';
import type { QuotaLedger, SharedDocument, SharedState } from '../../base/state/shared-state.ts';
import type { Clock } from '../../base/time/clock.ts';
import { type ClientTls, readAuthorities } from '../../base/tls/client-context.ts';
import { Database } from './database.ts';
import { Documents } from './documents.ts';
import { Link } from './link.ts';
import { migrate } from './migrations.ts';
import { createQuotaLedger } from './quota-ledger.ts';

export interface PostgresStateOptions {
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
  readonly #database: Database;
  readonly #documents: Documents;
  readonly #link: Link;

  constructor(options: PostgresStateOptions) {
    const { isOptional, clock, logger } = options;
    this.isOptional = isOptional;
    const database = new Database(() => readConnection(options));
    this.#database = database;
    this.#documents = new Documents(database);
    this.quotas = createQuotaLedger(database.query, randomBytes(8).toString('hex'));
    this.#link = new Link({
      database,
      clock,
      logger,
      catchUp: (query) => this.#documents.catchUp(query),
      onNotice: (subject) => {
        if (subject === 'document') void this.refresh();
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
    await this.#documents.catchUp(this.#database.query).catch(() => {});
  }

  declareDocument(name: string, onChange: () => void): SharedDocument {
    return this.#documents.declare(name, onChange);
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
