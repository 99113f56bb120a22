// Tab at the prompt: what the word before the cursor can be, from the tables of the commands.

import { type OptionKey, optionName, optionTable } from '../../../models/options.ts';
import { thinkLevels } from '../../answers/preferences.ts';
import type { InputCompletion } from '../input/completion.ts';
import { commandWords, helpTopics, setWords, showTopics } from './parse-input.ts';

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
