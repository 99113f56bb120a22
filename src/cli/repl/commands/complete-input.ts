// Tab at the prompt: what the word before the cursor can be, from the tables of the commands.

import { type OptionKey, optionName, optionTable } from '../../../models/options.ts';
import { thinkLevels } from '../session.ts';
import { commandWords, helpTopics, setWords, showTopics } from './parse-input.ts';

export interface InputCompletion {
  /** The word so far. */
  readonly word: string;
  /** Words that begin with it, without duplicates. */
  readonly candidates: readonly string[];
}

type Words = readonly string[] | 'models';

/** What can follow these words. Each word before it is complete. */
const nextWords: ReadonlyMap<string, Words> = new Map<string, Words>([
  ['', commandWords],
  ['/?', helpTopics],
  ['/help', helpTopics],
  ['/show', showTopics],
  ['/load', 'models'],
  ['/save', 'models'],
  ['/set', setWords],
  ['/set parameter', (Object.keys(optionTable) as OptionKey[]).map(optionName)],
  ['/set format', ['json']],
  ['/set think', thinkLevels],
]);

/** `models` is called only if the word is the name of a model. */
export async function completeInput(
  before: string,
  models: () => Promise<readonly string[]>,
): Promise<InputCompletion> {
  const words = before.split(/\s+/);
  const word = words.pop() ?? '';
  // Text for the model is not completed.
  if (!before.startsWith('/')) return { word, candidates: [] };
  const next = nextWords.get(words.join(' ')) ?? [];
  const all = next === 'models' ? await models() : next;
  return { word, candidates: [...new Set(all)].filter((candidate) => candidate.startsWith(word)) };
}

/** The text to insert after the word: the rest of the only candidate and a space, or what all have in common. */
export function insertedText({ word, candidates }: InputCompletion): string {
  const [first = word, ...others] = candidates;
  if (candidates.length === 1) return `${first.slice(word.length)} `;
  let length = first.length;
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length--;
  return first.slice(word.length, length);
}
