// What the environment says about terminals, by conventions that are older than Hearth.

import type { Environment } from './load-settings.ts';

export interface TerminalEnvironment {
  /** NO_COLOR, with any value. */
  readonly noColours: boolean;
  /** A terminal that cannot move its cursor. */
  readonly dumb: boolean;
}

export function readTerminalEnvironment(environment: Environment): TerminalEnvironment {
  return { noColours: (environment['NO_COLOR'] ?? '') !== '', dumb: environment['TERM'] === 'dumb' };
}
