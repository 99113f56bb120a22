// Starts a program that does not outlive the process that started it, also if that one is killed.

import { type ChildProcess, spawn } from 'node:child_process';

export interface GuardedOptions {
  readonly env?: NodeJS.ProcessEnv;
}

// A pipe is closed when the process at its other end is gone, for whatever reason. The program takes the place of the
// shell, so that signals reach it; the guard is a process of the same group.
const guard = 'exec 3<&0; (read -r _ <&3; kill -KILL 0) >/dev/null 2>&1 & exec "$@" 3<&- </dev/null';

/** Its process group has the same id as the process. */
export function spawnGuarded(
  program: string,
  args: readonly string[],
  { env = process.env }: GuardedOptions = {},
): ChildProcess {
  return spawn('sh', ['-c', guard, 'sh', program, ...args], { detached: true, stdio: 'pipe', env });
}

/** Ends all processes of the group: also those that the program has started. */
export function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // All have ended.
  }
}
