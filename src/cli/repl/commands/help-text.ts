// What /? shows.

import { type OptionKey, optionName, optionTable } from '../../../models/options.ts';
import { wrapText } from '../../run/printing/word-wrap.ts';
import type { HelpTopic } from './parse-input.ts';

type Rows = readonly (readonly [string, string])[];

const commandRows: Rows = [
  ['/set', 'Set session variables'],
  ['/show', 'Show model information'],
  ['/load <model>', 'Go on with another model'],
  ['/save <model>', 'Save this session as a model'],
  ['/list', 'List the models that are here'],
  ['/clear', 'Forget what was said'],
  ['/bye', 'Leave; so does /exit'],
  ['/?, /help', 'Show this'],
  ['/? shortcuts', 'Show what keys do'],
];

const setRows: Rows = [
  ['/set parameter <name> <value>', 'Set one of the parameters below'],
  ['/set system <text>', 'Set the system message'],
  ['/set history', 'Keep what is typed for the next run'],
  ['/set nohistory', 'Do not'],
  ['/set wordwrap', 'Break lines between words'],
  ['/set nowordwrap', 'Leave that to the terminal'],
  ['/set format json', 'Answers are JSON'],
  ['/set format <file>', 'Answers follow a JSON schema'],
  ['/set noformat', 'Answers are text'],
  ['/set verbose', 'Show what each answer has cost'],
  ['/set quiet', 'Do not'],
  ['/set think [level]', 'Let the model think first; low, medium, high or max'],
  ['/set nothink', 'Do not'],
];

const showRows: Rows = [
  ['/show info', 'Size, context, what it can do'],
  ['/show license', 'Its licence'],
  ['/show modelfile', 'What it is made from'],
  ['/show parameters', 'Its parameters, and yours'],
  ['/show system', 'The system message'],
  ['/show template', 'The prompt template'],
];

const shortcutRows: Rows = [
  ['Enter', 'Send'],
  ['Alt + Enter, Ctrl + j', 'Begin another line'],
  ['"""', 'Begin a message of several lines; """ ends it'],
  ['Up, Down', 'What was typed before'],
  ['Ctrl + r', 'Search what was typed before'],
  ['Ctrl + a, Ctrl + e', 'To the beginning, to the end of the line'],
  ['Alt + b, Alt + f', 'A word back, a word forward'],
  ['Ctrl + k, Ctrl + u', 'Cut to the end, to the beginning of the line'],
  ['Ctrl + w, Alt + d', 'Cut the word before, after the cursor'],
  ['Ctrl + y', 'Insert what was cut'],
  ['Ctrl + l', 'Clear the screen'],
  ['Ctrl + c', 'Stop the answer; at the prompt, begin the line anew'],
  ['Ctrl + d', 'Leave'],
];

export interface HelpOptions {
  readonly supportsVision: boolean;
  readonly columns: number;
}

export function helpText(topic: HelpTopic, { supportsVision, columns }: HelpOptions): string {
  const table = (rows: Rows): string => formatRows(rows, columns);
  switch (topic) {
    case 'commands':
      return `Available Commands:\n${table(commandRows)}\n${hints(supportsVision)}`;
    case 'set':
      return `Available Commands:\n${table(setRows)}\nParameters:\n${table(parameterRows())}`;
    case 'show':
      return `Available Commands:\n${table(showRows)}`;
    case 'shortcuts':
      return `Available keyboard shortcuts:\n${table(shortcutRows)}`;
  }
}

function hints(supportsVision: boolean): string {
  const lines = 'Use """ to begin a multi-line message.\n';
  return supportsVision
    ? `${lines}Name a .png, .jpg or .webp file anywhere in a message to show it to the model.\n`
    : lines;
}

function parameterRows(): Rows {
  return (Object.keys(optionTable) as OptionKey[]).map((key) => [optionName(key), optionTable[key].help]);
}

/** Narrower than this, text beside a column is no help. */
const narrowest = 20;

/** Two columns; what is too long for the second goes on below itself. */
function formatRows(rows: Rows, columns: number): string {
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  const room = Math.max(columns - width - 3, narrowest);
  const indent = ' '.repeat(width + 2);
  return rows
    .map(([left, right]) => {
      const lines = wrapText(right, room + 1)
        .split('\n')
        .map((line) => line.trimEnd());
      return `  ${left.padEnd(width)}${lines.join(`\n${indent}`)}\n`;
    })
    .join('');
}
