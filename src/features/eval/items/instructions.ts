// Instructions whose result has a form that can be checked. Patterns apply to the answer without white space around it. They
// refuse the instruction itself, which some models repeat.

import type { ItemCheck } from '../item.ts';

const word = "[\\p{L}'-]+";
const wordsOnly = (count: number): ItemCheck => ({ pattern: `^[^\\s]+( [^\\s]+){${count - 1}}$` });
const lines = (count: number, line: string): ItemCheck => ({ pattern: `^${line}(\\n+${line}){${count - 1}}$` });

export const instructions: readonly (readonly [prompt: string, check: ItemCheck])[] = [
  ['Write the word "apple" in capital letters. Answer with the word only.', { pattern: '^APPLE\\.?$' }],
  ['Write the word "RIVER" in lower case. Answer with the word only.', { pattern: '^river\\.?$' }],
  ['Answer with the word "yes" and nothing else.', { exact: 'yes' }],
  ['Answer with the word "blue" and nothing else.', { exact: 'blue' }],
  ['Repeat exactly: The train leaves at nine.', { exact: 'The train leaves at nine.' }],
  ['Repeat exactly: 4711-0815', { exact: '4711-0815' }],
  ['Repeat the word "echo" three times, separated by spaces. Write nothing else.', { exact: 'echo echo echo' }],
  ['Write the numbers from 1 to 5, separated by commas. Write nothing else.', { pattern: '^1, ?2, ?3, ?4, ?5\\.?$' }],
  ['Count down from 5 to 1, separated by spaces. Write nothing else.', { exact: '5 4 3 2 1' }],
  ['Write the first three letters of the alphabet in capitals, without spaces.', { pattern: '^ABC\\.?$' }],
  ['Name one color. Answer with a single word in lower case.', { pattern: '^\\p{Ll}+\\.?$' }],
  ['Name one animal. Answer with a single word in capital letters.', { pattern: '^\\p{Lu}+\\.?$' }],
  [
    'Name three fruits, separated by commas. Write nothing else.',
    { pattern: `^${word}( ${word})?, ?${word}( ${word})?, ?${word}( ${word})?\\.?$` },
  ],
  [
    'Name two days of the week, joined by "and". Write nothing else.',
    { pattern: '^(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day and (?!\\1)(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\\.?$' },
  ],
  ['Describe the sea in exactly three words.', wordsOnly(3)],
  ['Describe a cat in exactly two words.', wordsOnly(2)],
  ['Write a sentence of exactly five words about rain.', wordsOnly(5)],
  ['Write one sentence about bread that ends with an exclamation mark.', { pattern: '^[^.!?]+!$' }],
  ['Write one question about the Moon. It must end with a question mark.', { pattern: '^[^.!?]+\\?$' }],
  ['Write one short sentence that begins with the word "Yesterday".', { pattern: '^Yesterday\\b[^.!?]+[.!?]?$' }],
  ['Write one short sentence that ends with the word "home" and a period.', { pattern: '^[^.!?]+\\bhome\\.$' }],
  ['Write a sentence that contains the word "violin".', { pattern: '^[^"]*\\bviolin\\b[^"]*$', ignoreCase: true }],
  [
    'Write a sentence that contains both "tree" and "wind".',
    { pattern: '^(?=[^"]*\\btree\\b)(?=[^"]*\\bwind\\b)[^"]+$', ignoreCase: true },
  ],
  ['Write a sentence about dogs without any comma.', { pattern: '^(?![^]*comma)[^,]*dog[^,]*$', ignoreCase: true }],
  [
    'Write a short sentence about winter without the letter "z".',
    { pattern: '^[^zZ]*winter[^zZ]*$', ignoreCase: true },
  ],
  ['Write a list of three vegetables. Each line starts with "- ". Write nothing else.', lines(3, '- [^\\n]+')],
  ['Write a list of two cities. Each line starts with "* ". Write nothing else.', lines(2, '\\* [^\\n]+')],
  [
    'Write a numbered list of three animals: "1. ", "2. ", "3. ". Write nothing else.',
    { pattern: '^1\\. [^\\n]+\\n+2\\. [^\\n]+\\n+3\\. [^\\n]+$' },
  ],
  ['Write two lines of text about summer, separated by one line break.', { pattern: '^[^\\n]+\\n[^\\n]+$' }],
  ['Write the word "stone" between double quotes. Write nothing else.', { pattern: '^["“]stone["”]\\.?$' }],
  ['Write the word "lamp" between square brackets. Write nothing else.', { exact: '[lamp]' }],
  ['Write the word "fast" in bold with Markdown. Write nothing else.', { exact: ['**fast**', '__fast__'] }],
  ['Write a Markdown heading of level one with the text Notes. Write nothing else.', { exact: '# Notes' }],
  ['Write the date March 5, 2024 in the form YYYY-MM-DD. Write nothing else.', { exact: '2024-03-05' }],
  ['Write half past four in the afternoon in the form HH:MM with 24 hours. Write nothing else.', { exact: '16:30' }],
  ['Write the number two hundred and seven with digits. Write nothing else.', { pattern: '^207\\.?$' }],
  ['Write the number 12 as an English word. Write nothing else.', { exact: 'twelve' }],
  ['Write the word "table" backwards. Write nothing else.', { exact: 'elbat' }],
  ['What is the last letter of the word "garden"? Answer with the letter only.', { exact: 'n' }],
  ['How many letters has the word "house"? Answer with a digit only.', { exact: '5' }],
  [
    'Sort these words alphabetically and separate them by spaces: pear apple mango. Write nothing else.',
    { exact: 'apple mango pear' },
  ],
  [
    'Sort these numbers from small to large and separate them by spaces: 9 3 7. Write nothing else.',
    { exact: '3 7 9' },
  ],
  ['Which of these is no fruit: apple, hammer, pear? Answer with one word.', { exact: 'hammer' }],
  ['Is ice colder than steam? Answer with yes or no only.', { exact: 'yes' }],
  ['Is 7 larger than 10? Answer with yes or no only.', { exact: 'no' }],
  [
    'Translate "good morning" into French. Answer with the translation only.',
    { exact: ['bonjour', 'bonjour!', 'bonjour !'] },
  ],
  [
    'Replace the word "red" by "green" and write the sentence: The red door is open.',
    { exact: 'The green door is open.' },
  ],
  [
    'Write this sentence in the past tense: I walk to school. Write the sentence only.',
    { exact: 'I walked to school.' },
  ],
  ['Join the words "sun" and "flower" to one word. Write nothing else.', { exact: 'sunflower' }],
  ['Correct the spelling and write the word only: recieve', { exact: 'receive' }],
];
