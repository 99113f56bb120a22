// A program that runs services: what is written for it, and which commands it takes. systemd and launchd implement it.

import type { CommandOutcome, SystemCommand } from './service-host.ts';

export interface ServiceChoice {
  readonly system: boolean;
  /** The account of a system service. Undefined: its own. */
  readonly runAs: string | undefined;
}

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
  /** The service starts by itself. */
  readonly isEnabled: boolean;
  /** For people: `active (running), process 1234`. */
  readonly description: string;
}

export interface ServiceManager {
  /** For people: `the user service hearth.service`. */
  readonly title: string;
  readonly files: readonly ServiceFile[];
  /** Before the first start: `command` is needed only if `unless` fails. */
  readonly prepare: readonly { readonly unless: SystemCommand; readonly command: SystemCommand }[];
  /** After the files were written: runs the new version now and from now on. Empty if there is nothing to do. */
  start(state: ServiceState, hasChanged: boolean): readonly SystemCommand[];
  /** Stops the service, which does not start by itself any more. */
  stop(state: ServiceState): readonly SystemCommand[];
  /** After the files were removed. */
  readonly afterRemoval: readonly SystemCommand[];
  readonly query: SystemCommand;
  toState(outcome: CommandOutcome): ServiceState;
  logs(lines: number, follow: boolean): SystemCommand;
  /** Sentences about what the user may want to do next. */
  readonly notes: readonly string[];
}

/** Files without this text are not ours. */
export const serviceMark = 'hearth service install';
