// hearth __diagnose: the checks of `hearth doctor` as lines of JSON, for the process that supervises them.

import type { CommandSpec } from '../command.ts';
import type { Diagnose } from './doctor-command.ts';
import { endOfChecks } from './supervise-checks.ts';

export const diagnoseCommandName = '__diagnose';

export function diagnoseCommand(diagnose: Diagnose): CommandSpec {
  return {
    name: diagnoseCommandName,
    summary: 'Print the lines of `hearth doctor` as JSON',
    hidden: true,
    examples: [],
    async execute({ terminal, signal }) {
      for await (const line of diagnose(signal)) terminal.stdout.write(`${JSON.stringify(line)}\n`);
      terminal.stdout.write(`${endOfChecks}\n`);
      return undefined;
    },
  };
}
