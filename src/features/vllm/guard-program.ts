// Runs a program in a process group of its own, and ends the whole group with the server: `guard-program.js <order as JSON>`.
// Standard input is open as long as the server lives and wants the program. A program such as vLLM starts processes that
// would stay otherwise, also if the server is killed.

import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { inheritedEnvironment } from '../../base/process/child-program.ts';
import { systemClock } from '../../base/time/clock.ts';
import { type GuardMessage, type GuardOrder, guardChannel } from './guard-messages.ts';

// From the request to end to the kill.
const graceMs = 10_000;

const { program, args } = JSON.parse(process.argv[2] ?? '') as GuardOrder;
const child = spawn(program, [...args], {
  detached: true,
  stdio: ['ignore', 'inherit', 'inherit'],
  env: inheritedEnvironment(),
});

function send(message: GuardMessage): void {
  try {
    writeSync(guardChannel, `${JSON.stringify(message)}\n`);
  } catch {
    // The server is gone.
  }
}

function killGroup(signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // All have ended.
  }
}

function end(message: GuardMessage): void {
  // Processes that it has started may be left.
  killGroup('SIGKILL');
  send(message);
  process.exit(0);
}

if (child.pid !== undefined) send({ pid: child.pid });
child.on('error', (error: NodeJS.ErrnoException) => end({ ended: error.message, isMissing: error.code === 'ENOENT' }));
child.on('exit', (code, signal) => end({ ended: signal === null ? `exit code ${code}` : `signal ${signal}` }));
process.stdin.on('close', () => {
  killGroup('SIGTERM');
  systemClock.after(graceMs, () => killGroup('SIGKILL'));
});
process.stdin.resume();
// A terminal sends these to all its processes; the server decides.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
