// hearth launch [PROGRAM] [-- ARG…]

import { HearthError } from '../../base/errors.ts';
import { nearestWord } from '../../base/text/nearest-word.ts';
import type { CliContext, CommandSpec } from '../../cli/command.ts';
import { safeLine } from '../../cli/output/format.ts';
import { formatTable, tableWidth } from '../../cli/output/table.ts';
import type { Feature } from '../feature.ts';
import type { Program } from './program.ts';
import { otherPrograms, programTable } from './program-table.ts';

const names = programTable.flatMap(({ name, aliases = [] }) => [name, ...aliases]);

const launchCommand: CommandSpec = {
  name: 'launch',
  summary: 'Run a coding agent with a local model',
  description:
    'Starts a server if none is running, asks for a model, and runs the program with the configuration that it needs ' +
    'for this one run. A program that reads the address of a server only from its own file gets an entry there; the ' +
    'old file is kept. Words after -- are arguments of the program. Without a program, lists the programs and whether ' +
    'they are installed.',
  arguments: [
    { name: 'program', required: false, completes: names },
    { name: 'arg', required: false, variadic: true, completes: 'file' },
  ],
  options: [
    { flags: '-m, --model <name>', help: 'The model; a missing one is pulled', completes: 'model' },
    {
      flags: '--save',
      help: 'Also write the configuration to a file of the program, so that it uses the model without this command; the old file is kept',
    },
    {
      flags: '--config',
      help: 'Print what would be passed to the program and written to its files, and do nothing else',
    },
    {
      flags: '--restore',
      help: 'Put the files of the program back as they were before the first launch, and do nothing else',
    },
  ],
  examples: [
    'hearth launch',
    'hearth launch claude',
    'hearth launch codex --model qwen3 -- exec "Explain this repository"',
    'hearth launch opencode --model qwen3 --save',
    'hearth launch pi --config',
    'hearth launch pi --restore',
  ],
  async execute(context, { words: [name, ...args], options }) {
    const { model, save = false, config = false, restore = false } = options as LaunchOptions;
    if (restore && (save || config)) throw new HearthError('bad_request', '--restore excludes --save and --config');
    if (name === undefined) return listPrograms(context);
    const program = findByName(name);
    const { launchProgram, printConfig, restoreProgram } = await import('./launch-program.ts');
    const input = { program, model, args, save };
    if (restore) await restoreProgram(context, program);
    else if (config) await printConfig(context, input);
    else return launchProgram(context, input);
    return undefined;
  },
};

interface LaunchOptions {
  readonly model?: string;
  readonly save?: boolean;
  readonly config?: boolean;
  readonly restore?: boolean;
}

export const launchFeature: Feature = { commands: [launchCommand] };

function findByName(name: string): Program {
  const program = programTable.find((each) => each.name === name || each.aliases?.includes(name));
  if (program !== undefined) return program;
  const reason = otherPrograms.get(name);
  if (reason !== undefined) throw new HearthError('unsupported', reason);
  const nearest = nearestWord(name, names);
  const hint = nearest === undefined ? '`hearth launch` lists them' : `did you mean \`${nearest}\`?`;
  throw new HearthError('bad_request', `unknown program "${safeLine(name)}": ${hint}`);
}

async function listPrograms({ terminal: { stdout } }: CliContext): Promise<undefined> {
  const { findProgram } = await import('./find-program.ts');
  const rows = programTable.map(async (program) => {
    const isInstalled = (await findProgram(program)) !== undefined;
    return [program.name, program.title, isInstalled ? 'yes' : 'no', isInstalled ? '' : program.install];
  });
  const head = ['NAME', 'PROGRAM', 'INSTALLED', 'INSTALL WITH'];
  stdout.write(formatTable(head, await Promise.all(rows), { optional: ['PROGRAM'], width: tableWidth(stdout) }));
}
