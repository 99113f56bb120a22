// A check of `hearth doctor`: reads facts about the machine, changes nothing, and says what is wrong.

import type { Environment } from '../base/config/environment.ts';
import type { Clock } from '../base/time/clock.ts';
import type { MachineDescription } from '../inference/backends/describe-machine.ts';
import type { Settings } from '../settings/setting-table.ts';

export interface Check {
  readonly name: string;
  /** Longer than a check takes on a busy machine: only what hangs is a problem. Default: `usualTimeLimitMs`. */
  readonly timeLimitMs?: number;
  /** The signal aborts when the time is over. */
  run(context: CheckContext, signal: AbortSignal): Promise<readonly CheckFinding[]>;
}

export const usualTimeLimitMs = 10_000;

/** `warning`: something may not work as expected. `problem`: something does not work. */
export type CheckStatus = 'ok' | 'warning' | 'problem';

export interface CheckFinding {
  readonly status: CheckStatus;
  readonly text: string;
  readonly nextStep?: string;
}

export interface CheckContext {
  /** Settings that cannot be used have their defaults. */
  readonly settings: Settings;
  readonly settingProblems: readonly string[];
  readonly settingWarnings: readonly string[];
  readonly environment: Environment;
  readonly version: string;
  /** The folder with package.json. */
  readonly packageFolder: string;
  readonly clock: Clock;
  /** Both remember the answer, because several checks need it. */
  readonly describeMachine: () => Promise<MachineDescription>;
  readonly askRegistry: () => Promise<RegistryAnswer>;
}

export interface RegistryAnswer {
  readonly host: string;
  readonly isProxied: boolean;
  /** The HTTP status. Absent: the registry is not reachable. */
  readonly status?: number;
  /** The registry's time in milliseconds since the epoch. */
  readonly date?: number;
  readonly failure?: string;
}

export function ok(text: string): CheckFinding {
  return { status: 'ok', text };
}

export function warning(text: string, nextStep: string): CheckFinding {
  return { status: 'warning', text, nextStep };
}

export function problem(text: string, nextStep: string): CheckFinding {
  return { status: 'problem', text, nextStep };
}
