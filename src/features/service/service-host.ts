// What a service needs to know about the machine, and how it calls the programs of the system. Tests replace it.

import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { type Environment, processEnvironment } from '../../base/config/environment.ts';
import { systemCodeOf } from '../../base/errors.ts';

export type SystemCommand = readonly [program: string, ...words: string[]];

export interface CommandOutcome {
  /** Undefined if the program does not exist. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ServiceHost {
  readonly platform: string;
  readonly uid: number;
  readonly user: string;
  readonly home: string;
  /** Folders of system services. */
  readonly etc: string;
  readonly library: string;
  readonly environment: Environment;
  /** Absolute paths of Node and of the script of this command. */
  readonly command: SystemCommand;
  /** Whether systemd runs, which it does not in most containers. */
  readonly hasSystemd: boolean;
  /** Names of all groups. */
  readonly groups: readonly string[];
  /** The text of deploy/hearth.service. */
  readUnitTemplate(): string;
  run(command: SystemCommand): Promise<CommandOutcome>;
}

// Stopping a server may take a minute.
const timeoutMs = 120_000;
const maxOutputBytes = 2 ** 20;

/** `packageFolder`: the folder with package.json. */
export function createServiceHost(packageFolder: string): ServiceHost {
  const { uid, username } = userInfo();
  return {
    platform: process.platform,
    uid,
    user: username,
    home: homedir(),
    etc: '/etc',
    library: '/Library',
    environment: processEnvironment,
    command: [process.execPath, resolve(process.argv[1] ?? '')],
    hasSystemd: existsSync('/run/systemd/system'),
    groups: readGroups(),
    readUnitTemplate: () => readFileSync(join(packageFolder, 'deploy', 'hearth.service'), 'utf8'),
    run: runSystemCommand,
  };
}

function readGroups(): string[] {
  try {
    return readFileSync('/etc/group', 'utf8')
      .split('\n')
      .flatMap((line) => line.split(':', 1));
  } catch {
    return [];
  }
}

function runSystemCommand([program, ...words]: SystemCommand): Promise<CommandOutcome> {
  return new Promise((resolveOutcome) => {
    execFile(program, words, { timeout: timeoutMs, maxBuffer: maxOutputBytes }, (error, stdout, stderr) => {
      const isMissing = systemCodeOf(error) === 'ENOENT';
      const failed = typeof error?.code === 'number' ? error.code : 1;
      resolveOutcome({ code: isMissing ? undefined : error === null ? 0 : failed, stdout, stderr });
    });
  });
}
