// Builds commander's parser and help from the command table.

import { Argument, Command, Option } from 'commander';
import type { ArgumentSpec, CommandInput, CommandSpec, OptionSpec } from '../command.ts';

interface ProgramOptions {
  readonly commands: readonly CommandSpec[];
  readonly writeOut: (text: string) => void;
  readonly writeError: (text: string) => void;
  readonly width: number;
  /** Called with the parsed command. */
  readonly onCommand: (spec: CommandSpec, input: CommandInput) => Promise<void>;
}

const exitCodesHelp = `
Results are written to standard output, messages and progress to standard error.
Exit codes: 0 success, 1 failure, 2 usage error, 130 interrupted.`;

export function buildProgram(options: ProgramOptions): Command {
  const program = new Command('hearth')
    .description('Run language models on your own machine.')
    .usage('COMMAND [flags]')
    // Flags belong to the preceding command: -v means --version here, but --verbose after `show`.
    .enablePositionalOptions()
    .option('-v, --version', 'Show version information')
    .helpOption('-h, --help', 'Show help')
    .helpCommand('help [command]', 'Show help for a command')
    .addHelpText('after', `\nExample:\n  hearth run ember "Why is the sky blue?"\n${exitCodesHelp}`)
    .exitOverride()
    .configureHelp({ subcommandTerm: describeCommand })
    .showHelpAfterError("Run 'hearth help' for usage.")
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
  command.helpOption('-h, --help', 'Show help');
  command.showHelpAfterError(`Run 'hearth ${pathOf(command)} --help' for usage.`);
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

/** A row of the command list. Every command has flags, so they are not mentioned. */
function describeCommand(command: Command): string {
  const names = [command.name(), ...command.aliases()].join(', ');
  const words = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? name : `[${name}]`;
  });
  return [names, ...words].join(' ');
}

/** The command's words after `hearth`, such as `registry serve`. */
function pathOf(command: Command): string {
  const names: string[] = [];
  for (let current: Command | null = command; current?.parent; current = current.parent) names.unshift(current.name());
  return names.join(' ');
}

function toArgument({ name, required, variadic }: ArgumentSpec): Argument {
  const shown = `${name.toUpperCase()}${variadic ? '...' : ''}`;
  return new Argument(required ? `<${shown}>` : `[${shown}]`);
}

function toOption({ flags, help, hidden, choices, group }: OptionSpec): Option {
  const option = new Option(flags, help);
  if (hidden) option.hideHelp();
  if (choices !== undefined) option.choices([...choices]);
  if (group !== undefined) option.helpGroup(`${group}:`);
  return option;
}

/** Adds a hidden --debug, unless the command defines its own. */
function addDebug(command: Command): void {
  if (command.options.some(({ long }) => long === '--debug')) return;
  command.addOption(new Option('--debug', 'Show the stack trace of an error').hideHelp());
}
