// Some flags whose value can be left out take one only behind an equals sign: `--think` before a prompt must not swallow its
// first word, and people know it so from other tools.

import type { CommandSpec } from './command.ts';

/** The words, with such flags that stand alone written out: `--think` is `--think=true`. */
export function writeOutOptionalValues(words: readonly string[], commands: readonly CommandSpec[]): string[] {
  const options = commands.find(({ name }) => name === words[0])?.options ?? [];
  const flags = options.filter(({ valueAfterEquals }) => valueAfterEquals).map(({ flags }) => flags.split(' ')[0]);
  const end = words.indexOf('--');
  return words.map((word, index) => (flags.includes(word) && (end === -1 || index < end) ? `${word}=true` : word));
}
