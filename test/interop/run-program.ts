// Runs a program that is not ours, with a home folder of its own.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string;
  /** Ends the program. */
  readonly signal?: AbortSignal;
}

/** The folder with the programs, which scripts/test-interop.mjs fills. */
const cache = process.env['HEARTH_INTEROP_CACHE'] ?? '';

export const ollamaVersions = (process.env['HEARTH_INTEROP_OLLAMA'] ?? '').split(' ');
export const ollamaCommand = (version: string): string => join(cache, `ollama-${version}`, 'ollama');
export const pythonProgram = (
  environment:
    | 'cache_events'
    | 'clients'
    | 'instructor'
    | 'jinja'
    | 'litellm'
    | 'lm_eval'
    | 'pydantic_ai'
    | 'schemathesis',
  name: string,
): string => join(cache, `python-${environment}`, 'bin', name);

export async function runProgram(
  command: string,
  words: readonly string[],
  { environment = {}, cwd = process.cwd(), input = '', signal }: ProgramOptions = {},
): Promise<ProgramResult> {
  const child = spawn(command, words, { cwd, env: { ...process.env, ...environment }, ...(signal ? { signal } : {}) });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk) => {
      output[name] += chunk;
    });
  }
  // A program that does not read its input closes it.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...output };
}
