// hearth doctor: what is wrong with this machine, and what to do.

import { type CommandSpec, exitCodes } from '../command.ts';
import { formatJson } from '../output/format-json.ts';
import { type CheckLine, countLines, formatLine, summaryText, toJsonReport } from './doctor-report.ts';

/** Yields the lines of all checks, in their order. They contain no secrets. */
export type Diagnose = (signal: AbortSignal) => AsyncIterable<CheckLine>;

export interface DoctorPorts {
  /** In this process, which may not be able to end afterwards. */
  readonly diagnose: Diagnose;
  /** In a process of its own. */
  readonly supervise: Diagnose;
}

export function doctorCommand(supervise: Diagnose): CommandSpec {
  return {
    name: 'doctor',
    summary: 'Check this machine and say what to do',
    description:
      'Checks Node, the settings, the engine, devices, memory, disks, the store, permissions, the address of the server, proxies, the registry, the clock, limits and the sandbox, with and without a running server. It changes nothing. The output has no keys, no passwords and no home folder, so that it can be posted. The exit code is 1 if there is a problem.',
    options: [{ flags: '--json', help: 'Print the result as JSON' }],
    examples: ['hearth doctor', 'hearth doctor --json'],
    async execute({ terminal, signal, version }, { options }) {
      const { stdout } = terminal;
      const isJson = options['json'] === true;
      const lines: CheckLine[] = [];
      for await (const line of supervise(signal)) {
        lines.push(line);
        if (!isJson && !signal.aborted) stdout.write(formatLine(line, stdout));
      }
      if (signal.aborted) return exitCodes.interrupted;
      stdout.write(isJson ? formatJson(toJsonReport(version, lines)) : `\n${summaryText(lines)}\n`);
      return countLines(lines).problem > 0 ? exitCodes.failure : exitCodes.success;
    },
  };
}
