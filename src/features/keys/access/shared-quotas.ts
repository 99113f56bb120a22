// Quotas that several servers share. A request with a daily quota reserves tokens before it begins; what it uses is settled
// every second and at its end. Keys without quotas never wait for the database. An answer that runs goes on while the
// database cannot be reached, and is settled afterwards.

import { randomBytes } from 'node:crypto';
import { HearthError, messageOf } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { runOutsideRequests } from '../../../base/request/request-scope.ts';
import type { ExpectedTokens, TokenMeter } from '../../../base/request/token-meter.ts';
import type { Settlement, SharedState } from '../../../base/state/shared-state.ts';
import type { Clock, Timer } from '../../../base/time/clock.ts';
import type { KeyRecord } from './key-record.ts';
import { likelyTokens, type MeteredKey, type Quotas } from './quotas.ts';
import { allTokensReserved, allTokensUsed, RateLimitedError, tooManyRequests } from './rate-limited-error.ts';
import { SharedMeter } from './shared-meter.ts';

interface SharedQuotaOptions {
  readonly state: Pick<SharedState, 'quotas' | 'isOptional'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const settleMs = 1000;
/** Reservations expire after a minute. */
const renewEvery = 20;
const maxSettlements = 2000;

export class SharedQuotas implements Quotas {
  readonly #options: SharedQuotaOptions;
  readonly #prefix = randomBytes(8).toString('hex');
  readonly #reserved = new Map<string, SharedMeter>();
  /** What is not settled yet, by the ids of reservations. */
  #open = new Map<string, Settlement>();
  /** What is being settled, and its number. */
  #batch: readonly Settlement[] = [];
  #number = 0;
  #meters = 0;
  #ticks = 0;
  #settling: Promise<void> | undefined;
  #timer: Timer | undefined;

  constructor(options: SharedQuotaOptions) {
    this.#options = options;
  }

  countRequest(key: KeyRecord): Promise<void> | undefined {
    const { id, requestsPerMinute } = key;
    return requestsPerMinute === undefined ? undefined : this.#takeRequest(key, id, requestsPerMinute);
  }

  openMeter(key: MeteredKey, expected: ExpectedTokens): TokenMeter | Promise<TokenMeter> {
    return key.tokensPerDay === undefined ? this.#meterWithoutLimit(key.id) : this.#reserve(key, expected);
  }

  async tokensToday(id: string): Promise<number> {
    await this.settle();
    return this.#options.state.quotas.tokensToday(id);
  }

  async close(): Promise<void> {
    await this.settle();
    this.#timer?.cancel();
  }

  /** Resolves when all that was noted before is settled, or when that has failed. */
  async settle(): Promise<void> {
    await this.#settling;
    this.#settling ??= runOutsideRequests(() => this.#settleAll()).finally(() => {
      this.#settling = undefined;
    });
    return this.#settling;
  }

  note({ id, key, used, isOver }: Settlement): void {
    const known = this.#open.get(id);
    this.#open.set(id, { id, key, used: used + (known?.used ?? 0), isOver: isOver || known?.isOver === true });
    if (isOver) {
      this.#reserved.delete(id);
      void this.settle();
    } else this.#settleLater();
  }

  async #takeRequest(key: KeyRecord, id: string, perMinute: number): Promise<void> {
    const { quotas } = this.#options.state;
    const seconds = await quotas.takeRequest(id, perMinute).catch((error: unknown) => this.#without(error, 0));
    if (seconds > 0) throw tooManyRequests(key, seconds);
  }

  async #reserve(key: MeteredKey, expected: ExpectedTokens): Promise<TokenMeter> {
    const { state, clock } = this.#options;
    const { tokensPerDay: limit = 0 } = key;
    const reservation = { id: this.#newId(), key: key.id, limit, tokens: likelyTokens(expected) };
    try {
      const granted = await state.quotas.reserve(reservation);
      if (granted === 'used') throw allTokensUsed(key, clock.now());
      if (granted === 'reserved') throw allTokensReserved(key);
      const meter = new SharedMeter({ ...reservation, granted, ledger: state.quotas, quotas: this });
      this.#reserved.set(reservation.id, meter);
      this.#settleLater();
      return meter;
    } catch (error) {
      if (error instanceof RateLimitedError) throw error;
      // Nobody knows whether the tokens were reserved.
      this.note({ ...reservation, used: 0, isOver: true });
      return this.#without(error, this.#meterWithoutLimit(key.id));
    }
  }

  #meterWithoutLimit(key: string): TokenMeter {
    let counted = 0;
    return {
      count: (tokens) => {
        // One entry for all requests of the key.
        if (tokens > counted) this.note({ id: `${this.#prefix} ${key}`, key, used: tokens - counted, isOver: false });
        counted = Math.max(counted, tokens);
        return true;
      },
      close: () => {},
    };
  }

  /** `value` if requests are served without quotas while the database cannot be reached. */
  #without<Value>(error: unknown, value: Value): Value {
    const isMissing = error instanceof HearthError && error.code === 'state_unreachable';
    if (isMissing && this.#options.state.isOptional) return value;
    throw error;
  }

  #newId(): string {
    this.#meters++;
    return `${this.#prefix}-${this.#meters}`;
  }

  #settleLater(): void {
    this.#timer ??= this.#options.clock.after(settleMs, () => {
      this.#timer = undefined;
      this.#ticks++;
      if (this.#ticks % renewEvery === 0) for (const meter of this.#reserved.values()) meter.renew();
      if (this.#open.size + this.#batch.length > 0) void this.settle();
      if (this.#reserved.size + this.#open.size + this.#batch.length > 0) this.#settleLater();
    });
  }

  async #settleAll(): Promise<void> {
    const { state, logger } = this.#options;
    while (this.#open.size + this.#batch.length > 0) {
      if (this.#batch.length === 0) this.#takeBatch();
      try {
        await state.quotas.settle(this.#batch, this.#number);
        this.#batch = [];
      } catch (error) {
        logger.debug('could not settle the quotas', { reason: messageOf(error) });
        this.#settleLater();
        return;
      }
    }
  }

  #takeBatch(): void {
    this.#batch = [...this.#open.values()].slice(0, maxSettlements);
    for (const { id } of this.#batch) this.#open.delete(id);
    this.#number++;
  }
}
