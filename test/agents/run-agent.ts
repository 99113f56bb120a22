// Runs an agent in a folder of its own, with nothing of the environment of the current user.

import { execFile } from 'node:child_process';
import type { AgentStart } from './agent-table.ts';

export interface AgentResult {
  /** 0, or the exit code or signal of a failure. */
  readonly end: number | string | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export interface AgentFolders {
  readonly home: string;
  readonly work: string;
}

// For an agent that hangs.
const timeoutMs = 300_000;

export function runAgent(
  { command, words, environment }: AgentStart,
  { home, work }: AgentFolders,
): Promise<AgentResult> {
  return new Promise((resolve) => {
    const env = { PATH: process.env['PATH'], HOME: home, ...environment };
    const child = execFile(command, words, { cwd: work, env, timeout: timeoutMs }, (error, stdout, stderr) =>
      resolve({ end: error === null ? 0 : (error.code ?? error.signal), stdout, stderr }),
    );
    // Agents wait for more of the question.
    child.stdin?.end();
  });
}
