// Flags whose value can be left out take one only behind an equals sign: `--think` before a prompt must not swallow its
// first word, and people know it so from other tools.

import type { CommandSpec } from './command.ts';

/** The words, with such flags that stand alone written out: `--think` is `--think=true`. */
export function writeOutOptionalValues(words: readonly string[], commands: readonly CommandSpec[]): string[] {
  const flags = new Set(commands.flatMap(({ options = [] }) => options.flatMap(({ flags }) => optionalFlag(flags))));
  const end = words.indexOf('--');
  return words.map((word, index) => (flags.has(word) && (end === -1 || index < end) ? `${word}=true` : word));
}

function optionalFlag(flags: string): string[] {
  const name = /(--[\w-]+) \[/.exec(flags)?.[1];
  return name === undefined ? [] : [name];
}
