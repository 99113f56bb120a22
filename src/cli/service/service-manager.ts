// A program that runs services: what is written for it, and which commands it takes. systemd and launchd implement it.

import type { CommandOutcome, SystemCommand } from './service-host.ts';

export interface ServiceFile {
  readonly path: string;
  readonly mode: number;
  /** `former`: the text of the file that is there; empty if there is none. */
  text(former: string): string;
}

export interface ServiceState {
  /** The manager knows the service. */
  readonly isKnown: boolean;
  readonly isRunning: boolean;
  /** It starts by itself. */
  readonly isEnabled: boolean;
  /** For people: `active (running), process 1234`. */
  readonly description: string;
}

export interface ServiceManager {
  /** For people: `the user service hearth.service`. */
  readonly title: string;
  readonly files: readonly ServiceFile[];
  /** Before the first start. */
  readonly prepare: readonly PreparingCommand[];
  /** After the files were written: runs the new version now and from now on. Empty if there is nothing to do. */
  start(state: ServiceState, hasChanged: boolean): readonly SystemCommand[];
  /** Stops it, and it does not start by itself any more. */
  stop(state: ServiceState): readonly SystemCommand[];
  /** After the files were removed. */
  readonly afterRemoval: readonly SystemCommand[];
  readonly query: SystemCommand;
  toState(outcome: CommandOutcome): ServiceState;
  logs(lines: number, follow: boolean): SystemCommand;
  /** Sentences about what the user may want to do next. */
  readonly notes: readonly string[];
}

export interface PreparingCommand {
  /** If it succeeds, `command` is not needed. */
  readonly unless: SystemCommand;
  readonly command: SystemCommand;
}

/** Files without this text are not ours. */
export const serviceMark = 'hearth service install';
