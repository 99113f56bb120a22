// Shell completion: finds what the word at the cursor can be, from the line so far and the command table.

import type { ArgumentSpec, CommandSpec, CompletionSource, OptionSpec } from '../command.ts';

/** A word that the shell can insert. */
export interface CompletionCandidate {
  readonly word: string;
  /** Shown next to it by shells that can. */
  readonly help?: string;
}

export interface CompletionPlan {
  /** The word so far. */
  readonly word: string;
  readonly completes: Exclude<CompletionSource, readonly string[]> | readonly CompletionCandidate[];
}

/** `line` starts with the program's name and ends at the cursor. */
export function planCompletion(commands: readonly CommandSpec[], line: string): CompletionPlan {
  const [, ...words] = line.trimStart().split(/\s+/);
  const word = words.pop() ?? '';
  const { spec, rest } = findCommand(commands, words);
  const complete = (completes: CompletionPlan['completes']): CompletionPlan => ({ word, completes });
  const completeFrom = (source: CompletionSource): CompletionPlan =>
    complete(typeof source === 'string' ? source : source.map((each) => ({ word: each })));
  if (spec === undefined) {
    if (rest.length > 0) return complete('nothing');
    return complete(word.startsWith('-') ? [helpFlag, versionFlag] : visible(commands));
  }
  const options = spec.options ?? [];
  const before = rest.at(-1) ?? '';
  const option = before.startsWith('-') ? options.find((candidate) => takesValue(candidate, before)) : undefined;
  if (option !== undefined) return completeFrom(option.choices ?? option.completes ?? 'nothing');
  if (word.startsWith('-')) return complete([...options.filter(({ hidden }) => !hidden).map(toFlag), helpFlag]);
  if (spec.commands !== undefined) return complete(visible(spec.commands));
  return completeFrom(argumentAt(spec, rest)?.completes ?? 'nothing');
}

interface Found {
  readonly spec: CommandSpec | undefined;
  /** Words after the command. */
  readonly rest: readonly string[];
}

function findCommand(commands: readonly CommandSpec[], words: readonly string[]): Found {
  const [name, ...rest] = words;
  if (name === undefined) return { spec: undefined, rest: words };
  const spec = commands.find((command) => [command.name, command.alias, command.hiddenAlias].includes(name));
  if (spec === undefined) return { spec, rest: words };
  const nested = spec.commands === undefined ? undefined : findCommand(spec.commands, rest);
  return nested?.spec === undefined ? { spec, rest } : nested;
}

/** The argument at the cursor. */
function argumentAt(
  { arguments: specs = [], options = [] }: CommandSpec,
  words: readonly string[],
): ArgumentSpec | undefined {
  let position = 0;
  for (const [index, word] of words.entries()) {
    const before = words[index - 1] ?? '';
    const isValue = before.startsWith('-') && options.some((option) => takesValue(option, before));
    if (!word.startsWith('-') && !isValue) position++;
  }
  const last = specs.at(-1);
  return specs[position] ?? (last?.variadic ? last : undefined);
}

/** Whether `flag` is this option and requires a value. */
function takesValue({ flags }: OptionSpec, flag: string): boolean {
  return flags.includes('<') && flags.split(/[\s,]+/).includes(flag);
}

const helpFlag: CompletionCandidate = { word: '--help', help: 'Show help' };
const versionFlag: CompletionCandidate = { word: '--version', help: 'Show version information' };

function toFlag({ flags, help }: OptionSpec): CompletionCandidate {
  return { word: /--[\w-]+/.exec(flags)?.[0] ?? flags, help };
}

function visible(commands: readonly CommandSpec[]): CompletionCandidate[] {
  return commands.filter(({ hidden }) => !hidden).map(({ name, summary }) => ({ word: name, help: summary }));
}
