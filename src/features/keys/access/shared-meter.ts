// The tokens of one answer with a reservation. More are reserved before it is used up; an answer ends where there are none.

import type { TokenMeter } from '../../../base/request/token-meter.ts';
import type { QuotaLedger, Settlement } from '../../../base/state/shared-state.ts';

interface SharedMeterOptions {
  readonly id: string;
  readonly key: string;
  /** Tokens of a day. */
  readonly limit: number;
  readonly granted: number;
  readonly ledger: Pick<QuotaLedger, 'extend'>;
  readonly quotas: { note(settlement: Settlement): void; settle(): Promise<void> };
}

const extension = 256;
/** The next tokens are reserved when so few are left, so that an answer does not wait for them. */
const margin = 64;

export class SharedMeter implements TokenMeter {
  readonly #options: SharedMeterOptions;
  #granted: number;
  #counted = 0;
  #isExtending = false;
  #isExhausted = false;
  #isClosed = false;

  constructor(options: SharedMeterOptions) {
    this.#options = options;
    this.#granted = options.granted;
  }

  count(tokens: number): boolean {
    const added = tokens - this.#counted;
    if (added > 0) {
      this.#counted = tokens;
      this.#note(added);
    }
    if (this.#counted + margin >= this.#granted && !this.#isExhausted && !this.#isExtending) void this.#extend();
    return this.#counted < this.#granted || this.#isExtending;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { id, key, quotas } = this.#options;
    quotas.note({ id, key, used: 0, isOver: true });
  }

  /** Nothing may be counted while a model is loaded. */
  renew(): void {
    this.#note(0);
  }

  #note(used: number): void {
    const { id, key, quotas } = this.#options;
    if (!this.#isClosed) quotas.note({ id, key, used, isOver: false });
  }

  async #extend(): Promise<void> {
    const { ledger, quotas, ...reservation } = this.#options;
    this.#isExtending = true;
    try {
      // What is used counts first.
      await quotas.settle();
      const counted = this.#counted;
      const more = await ledger.extend({ ...reservation, tokens: extension });
      this.#granted = Math.max(this.#granted, counted) + more;
      this.#isExhausted = more < extension;
    } catch {
      // The answer goes on while the database cannot be reached.
      this.#granted = Math.max(this.#granted, this.#counted) + extension;
    }
    this.#isExtending = false;
    if (this.#isClosed) quotas.note({ id: reservation.id, key: reservation.key, used: 0, isOver: true });
  }
}
