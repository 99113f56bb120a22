// A check of `hearth doctor`: facts about the machine, and a pure function that judges them.

import type { Environment } from '../../../base/config/load-settings.ts';
import type { Settings } from '../../../base/config/settings.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { MachineDescription } from '../../../inference/backends/describe-machine.ts';
import type { CheckStatus } from '../../doctor/doctor-report.ts';
import type { RegistryAnswer } from './ask-registry.ts';

export interface CheckFinding {
  readonly status: CheckStatus;
  readonly text: string;
  readonly nextStep?: string;
}

export interface DoctorContext {
  readonly settings: Settings;
  /** Sentences about settings that cannot be used. */
  readonly settingProblems: readonly string[];
  readonly settingWarnings: readonly string[];
  readonly environment: Environment;
  readonly version: string;
  /** The folder with package.json. */
  readonly packageFolder: string;
  readonly clock: Clock;
  /** Both are asked once, although two checks need the answer. */
  readonly describeMachine: () => Promise<MachineDescription>;
  readonly askRegistry: () => Promise<RegistryAnswer>;
}

/** Milliseconds. For checks that take none unless something hangs: a busy machine is not a problem. */
export const usualTimeLimit = 10_000;

interface CheckSpec<Facts> {
  readonly name: string;
  /** Milliseconds. */
  readonly timeLimit: number;
  /** Reads facts and changes nothing. The signal aborts when the time is over. */
  gather(context: DoctorContext, signal: AbortSignal): Promise<Facts>;
  judge(facts: Facts): readonly CheckFinding[];
}

export interface Check {
  readonly name: string;
  readonly timeLimit: number;
  run(context: DoctorContext, signal: AbortSignal): Promise<readonly CheckFinding[]>;
}

export function defineCheck<Facts>({ name, timeLimit, gather, judge }: CheckSpec<Facts>): Check {
  return { name, timeLimit, run: async (context, signal) => judge(await gather(context, signal)) };
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
