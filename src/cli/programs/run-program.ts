// Runs a program in the place of this command: it has the terminal, gets the signals, and its exit code is the result.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { HearthError } from '../../base/errors.ts';
import { describeSystemError } from '../../base/process/system-error.ts';
import { safeLine } from '../output/format.ts';
import type { Terminal } from '../terminal.ts';
import { replaceSignalHandlers } from './replace-signal-handlers.ts';
import { toSpawnLine } from './windows-script.ts';

interface ProgramRun {
  readonly file: string;
  readonly args: readonly string[];
  /** All variables of the program. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
}

// A terminal sends the signals of its keys to all processes in the foreground, thus also to the program.
const keySignals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];
const otherSignals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP'];
/** The exit code of a shell for a program that a signal has ended is this plus the number of the signal. */
const signalExitCode = 128;

/** Resolves with the exit code of the program. */
export async function runProgram({ file, args, environment, terminal }: ProgramRun): Promise<number> {
  const line = toSpawnLine(file, args, process.platform);
  const hasTerminal = [terminal.stdin, terminal.stdout, terminal.stderr].some(({ isTerminal }) => isTerminal);
  const restoreSignals = replaceSignalHandlers([...keySignals, ...otherSignals], (signal) => {
    if (!hasTerminal || otherSignals.includes(signal)) child.kill(signal);
  });
  const child = spawn(line.program, line.args, {
    stdio: 'inherit',
    env: { ...environment },
    windowsVerbatimArguments: line.verbatim,
  });
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    return signal === null ? (code ?? 0) : signalExitCode + constants.signals[signal];
  } catch (error) {
    throw new HearthError('bad_request', `cannot run ${safeLine(file)}: ${describeSystemError(error)}`);
  } finally {
    restoreSignals();
  }
}
