// Where the state is that several servers share. Without a setting, each server keeps its own, and nothing is loaded.

import { toClientTls } from '../base/config/client-tls.ts';
import type { Logger } from '../base/logger.ts';
import type { SharedState } from '../base/state/shared-state.ts';
import type { Clock } from '../base/time/clock.ts';
import type { Settings } from '../settings/setting-table.ts';

export type StateSettings = Pick<
  Settings,
  'state' | 'statePasswordFile' | 'stateOptional' | 'tlsCa' | 'tlsCert' | 'tlsKey'
>;

/** Undefined: in files and in the memory of this server. The result is not connected yet. */
export async function createSharedState(
  settings: StateSettings,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<SharedState | undefined> {
  const { state: address, statePasswordFile: passwordFile, stateOptional: isOptional } = settings;
  if (address === '') return undefined;
  const { PostgresState } = await import('./postgres-state/postgres-state.ts');
  return new PostgresState({ address, passwordFile, isOptional, tls: toClientTls(settings), clock, logger });
}
