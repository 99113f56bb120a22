// Shared state over a real PostgreSQL, as several servers open it.

import { stateAddress } from '../../src/base/config/state-address.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { systemClock } from '../../src/base/time/clock.ts';
import { PostgresState } from '../../src/features/postgres-state/postgres-state.ts';

interface StateOptions {
  readonly isOptional?: boolean;
  /** Declares documents and entries before the state is opened. */
  readonly declare?: (state: PostgresState) => void;
}

export function createTestState(address: string, isOptional = false): PostgresState {
  const parsed = stateAddress.parse(address);
  if (parsed === undefined || parsed === '') throw new Error('not an address');
  const tls = { ca: '', ownCa: '' };
  return new PostgresState({
    address: parsed,
    passwordFile: '',
    tls,
    isOptional,
    clock: systemClock,
    logger: silentLogger,
  });
}

export async function openTestState(address: string, options: StateOptions = {}): Promise<PostgresState> {
  const state = createTestState(address, options.isOptional);
  options.declare?.(state);
  await state.open();
  return state;
}
