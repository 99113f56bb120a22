// Flags with an optional value that must follow an equals sign: in `--think why …`, `why` is part of the prompt and not
// the value of the flag. Ollama behaves the same way.

import type { CommandSpec } from '../command.ts';

/** Replaces such a flag without a value by its explicit form: `--think` becomes `--think=true`. */
export function addOptionalValues(words: readonly string[], commands: readonly CommandSpec[]): string[] {
  const options = commands.find(({ name }) => name === words[0])?.options ?? [];
  const flags = options.filter(({ valueAfterEquals }) => valueAfterEquals).map(({ flags }) => flags.split(' ')[0]);
  const end = words.indexOf('--');
  return words.map((word, index) => (flags.includes(word) && (end === -1 || index < end) ? `${word}=true` : word));
}
