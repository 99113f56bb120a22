// hearth doctor: what is wrong with this machine, and what to do.

import { type CommandSpec, exitCodes } from '../../cli/command.ts';
import type { Feature } from '../feature.ts';
import type { CheckLine } from './report.ts';

/** `others`: the features whose checks it runs besides its own. */
export function createDoctorFeature(others: readonly Feature[]): Feature {
  return { commands: [doctorCommand, createDiagnoseCommand(others)] };
}

const doctorCommand: CommandSpec = {
  name: 'doctor',
  summary: 'Check this machine and say what to do',
  description:
    'Checks Node, the settings, the engine, devices, memory, disks, the store, permissions, the address of the server, proxies, the registry, the clock, limits and the sandbox, with and without a running server. It changes nothing. The output has no keys, no passwords and no home folder, so that it can be posted. The exit code is 1 if there is a problem.',
  options: [{ flags: '--json', help: 'Print the result as JSON' }],
  examples: ['hearth doctor', 'hearth doctor --json'],
  async execute({ terminal: { stdout }, clock, signal, version, hearth }, { options }) {
    const { superviseChecks } = await import('./supervise-checks.ts');
    const { formatLine, formatReport } = await import('./report.ts');
    const isJson = options['json'] === true;
    const lines: CheckLine[] = [];
    for await (const line of superviseChecks({ command: [...hearth, diagnoseName], clock, signal })) {
      lines.push(line);
      if (!isJson && !signal.aborted) stdout.write(formatLine(line, stdout));
    }
    if (signal.aborted) return exitCodes.interrupted;
    stdout.write(formatReport(lines, isJson ? version : undefined));
    return lines.some(({ status }) => status === 'problem') ? exitCodes.failure : exitCodes.success;
  },
};

const diagnoseName = '__diagnose';

/** Prints the lines as JSON, for the process that supervises the checks. */
function createDiagnoseCommand(others: readonly Feature[]): CommandSpec {
  return {
    name: diagnoseName,
    summary: 'Print the lines of `hearth doctor` as JSON',
    hidden: true,
    examples: [],
    async execute({ terminal: { stdout }, version, packageFolder, signal }) {
      const { diagnose } = await import('./diagnose.ts');
      const { endOfChecks } = await import('./supervise-checks.ts');
      const checks = await Promise.all(others.map((feature) => feature.checks?.() ?? []));
      for await (const line of diagnose({ version, packageFolder, checks: checks.flat(), signal }))
        stdout.write(`${JSON.stringify(line)}\n`);
      stdout.write(`${endOfChecks}\n`);
    },
  };
}
