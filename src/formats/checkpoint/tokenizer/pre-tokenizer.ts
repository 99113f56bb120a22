// llama.cpp's name for the way in which a tokenizer splits a text before it merges bytes. llama.cpp's converter recognizes
// it by a hash of the tokens of a test text, so it knows only the tokenizers of its list. The steps in tokenizer.json say
// the same, for every vocabulary.

import { asObject } from '../../../base/json-values.ts';
import { unusable } from '../files/checkpoint-error.ts';
import { asString, type ConfigObject, objectsOf } from '../files/json-object.ts';
import type { TokenizerFiles } from './tokenizer-files.ts';

const contractions = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const spaces = '\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';
const upper = '[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]';
const lower = '[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]';
const other = '[^\\r\\n\\p{L}\\p{N}]?';

/** Words with a leading sign, and digits as in `digits`. */
const words = (digits: string): string =>
  `${contractions}|${other}\\p{L}+|${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|${spaces}`;
/** Words are also split where the case changes. */
const casedWords = (ending: string, digits: string): string =>
  `${other}${upper}*${lower}+${ending}|${other}${upper}+${lower}*${ending}|${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|${spaces}`;

const split = (pattern: string): string => `split ${pattern}, bytes`;

/** Names by steps. */
const names: ReadonlyMap<string, string> = new Map([
  ['words and bytes', 'gpt-2'],
  ['digits, words and bytes', 'smollm'],
  [split(words('\\p{N}{1,3}')), 'dbrx'],
  [split(words('\\p{N}')), 'qwen2'],
  [split(`${contractions}|${other}[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|${spaces}`), 'qwen35'],
  [split(casedWords('', '\\p{N}')), 'tekken'],
  [split(casedWords(`${contractions}?`, '\\p{N}{1,3}')), 'gpt-4o'],
  [
    [
      'split \\p{N}{1,3}',
      'split [一-龥\u3040-ゟ゠-ヿ]+',
      `split [!"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_\`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\\r\\n]*|${spaces}`,
      'bytes',
    ].join(', '),
    'deepseek-v3',
  ],
]);

export function preTokenizerOf({ json, model }: TokenizerFiles): string {
  const preTokenizer = asObject(json?.['pre_tokenizer']);
  const own = preTokenizer['type'] === 'Sequence' ? objectsOf(preTokenizer['pretokenizers']) : [preTokenizer];
  const steps = own.map(describeStep).join(', ');
  const name = names.get(steps);
  if (name === undefined) throw unusable(`the pre-tokenizer of tokenizer.json is not known (${steps.slice(0, 300)})`);
  // Llama 3 looks up whole words before it merges.
  return name === 'dbrx' && model['ignore_merges'] === true ? 'llama-bpe' : name;
}

function describeStep(preTokenizer: ConfigObject): string {
  const type = asString(preTokenizer['type']) ?? 'none';
  switch (type) {
    case 'ByteLevel':
      return preTokenizer['use_regex'] === false ? 'bytes' : 'words and bytes';
    case 'Digits':
      return preTokenizer['individual_digits'] === true ? 'digits' : 'numbers';
    case 'Split':
      return describeSplit(preTokenizer);
    default:
      return type;
  }
}

/** Matches are kept as they are, or the text between them is removed; both mean that every match is a part. */
function describeSplit({ pattern, behavior, invert }: ConfigObject): string {
  const regex = asString(asObject(pattern)['Regex']) ?? '';
  const keepsMatches = (behavior === 'Isolated' && invert !== true) || (behavior === 'Removed' && invert === true);
  return `${keepsMatches ? 'split' : 'other split'} ${regex}`;
}
