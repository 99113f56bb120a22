// Terminal settings from the usual environment variables.

import type { Environment } from './environment.ts';

interface TerminalEnvironment {
  /** NO_COLOR, with any value. */
  readonly noColors: boolean;
  /** The terminal cannot move its cursor. */
  readonly dumb: boolean;
}

const defaultEditor = 'vi';

/** The command of the user's editor. */
export function readEditor(environment: Environment): string {
  return environment['VISUAL'] || environment['EDITOR'] || defaultEditor;
}

export function readTerminalEnvironment(environment: Environment): TerminalEnvironment {
  return { noColors: (environment['NO_COLOR'] ?? '') !== '', dumb: environment['TERM'] === 'dumb' };
}
