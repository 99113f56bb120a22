// Which installed model a mistyped name means.

import { nearestWord } from '../base/text/nearest-word.ts';
import { formatModelName, parseModelName } from './name.ts';

// A name that is longer by more is another model: `qwen3` is not a mistyped `qwen3-coder`.
const maxExtraLetters = 2;

/**
 * Undefined if none is close. A name that differs only in its digits or its tag is another version, which a registry may have:
 * `gemma2` is not a mistyped `gemma3`.
 */
export function nearestModel(given: string, installed: readonly string[]): string | undefined {
  const word = baseOf(given);
  const named = new Map(installed.map((name) => [baseOf(name), name]));
  if (named.has(word)) return undefined;
  const candidates = [...named.keys()].filter(
    (base) => lettersOf(base) !== lettersOf(word) && Math.abs(base.length - word.length) <= maxExtraLetters,
  );
  const nearest = nearestWord(word, candidates);
  return nearest === undefined ? undefined : named.get(nearest)?.replace(/:latest$/, '');
}

/** In lower case, without the tag. */
function baseOf(name: string): string {
  return formatModelName({ ...parseModelName(name), tag: 'latest' })
    .replace(/:latest$/, '')
    .toLowerCase();
}

function lettersOf(base: string): string {
  return base.replace(/[\d.]/g, '');
}
