// The table of commands → a parser with help, by commander.

import { Argument, Command, Option } from 'commander';
import type { ArgumentSpec, CommandInput, CommandSpec, OptionSpec } from './command.ts';

export interface ProgramOptions {
  readonly commands: readonly CommandSpec[];
  readonly writeOut: (text: string) => void;
  readonly writeError: (text: string) => void;
  readonly width: number;
  /** What to do with the command that was typed. */
  readonly onCommand: (spec: CommandSpec, input: CommandInput) => Promise<void>;
}

const exitCodesHelp = `
Results go to standard output, everything else to standard error.
Exit codes: 0 done, 1 failed, 2 not understood, 130 interrupted.`;

export function buildProgram(options: ProgramOptions): Command {
  const program = new Command('hearth')
    .description('Language models on your own machine.')
    .usage('COMMAND [flags]')
    // A flag belongs to the command behind which it stands: -v is "version" here and "verbose" there.
    .enablePositionalOptions()
    .option('-v, --version', 'print the version of the server and of this program')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help of a command')
    .addHelpText('after', `\nExample:\n  hearth run ember "Why is the sky blue?"\n${exitCodesHelp}`)
    .exitOverride()
    .configureHelp({ subcommandTerm: describeCommand })
    .showHelpAfterError('`hearth help` shows what there is.')
    .configureOutput({
      writeOut: options.writeOut,
      writeErr: options.writeError,
      getOutHelpWidth: () => options.width,
      outputError: (text, write) => write(text.replace(/^error: /, 'Error: ')),
    });
  for (const spec of options.commands) {
    addCommand(program, spec, options);
    if (spec.hiddenAlias !== undefined) addCommand(program, { ...spec, name: spec.hiddenAlias, hidden: true }, options);
  }
  return program;
}

function addCommand(parent: Command, spec: CommandSpec, options: ProgramOptions): void {
  const command = parent.command(spec.name, spec.hidden ? { hidden: true } : {}).summary(spec.summary);
  command.description(spec.description === undefined ? `${spec.summary}.` : `${spec.summary}. ${spec.description}`);
  command.helpOption('-h, --help', 'show this help');
  command.showHelpAfterError(`\`hearth ${pathOf(command)} --help\` shows how it is used.`);
  if (spec.alias !== undefined) command.alias(spec.alias);
  for (const argument of spec.arguments ?? []) command.addArgument(toArgument(argument));
  for (const option of spec.options ?? []) command.addOption(toOption(option));
  addDebug(command);
  if (spec.examples.length > 0)
    command.addHelpText('after', `\nExamples:\n${spec.examples.map((line) => `  ${line}\n`).join('')}`);
  for (const nested of spec.commands ?? []) addCommand(command, nested, options);
  if (spec.execute === undefined) return;
  command.action(async () => {
    const words = command.processedArgs.flat().filter((word): word is string => typeof word === 'string');
    await options.onCommand(spec, { words, options: command.opts() });
  });
}

/** As the list of commands shows it: every command has flags, that need not be said. */
function describeCommand(command: Command): string {
  const names = [command.name(), ...command.aliases()].join(', ');
  const words = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? name : `[${name}]`;
  });
  return [names, ...words].join(' ');
}

/** `registry serve` of `hearth registry serve`. */
function pathOf(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at?.parent; at = at.parent) names.unshift(at.name());
  return names.join(' ');
}

function toArgument({ name, required, variadic }: ArgumentSpec): Argument {
  const shown = `${name.toUpperCase()}${variadic ? '...' : ''}`;
  return new Argument(required ? `<${shown}>` : `[${shown}]`);
}

function toOption({ flags, help, hidden, choices }: OptionSpec): Option {
  const option = new Option(flags, help);
  if (hidden) option.hideHelp();
  if (choices !== undefined) option.choices([...choices]);
  return option;
}

/** Every command has it, except where it means something else already. */
function addDebug(command: Command): void {
  if (command.options.some(({ long }) => long === '--debug')) return;
  command.addOption(new Option('--debug', 'show where in the program an error came from').hideHelp());
}
