// The help of the interactive prompt.

import { type OptionKey, optionName, optionTable } from '../../../models/options.ts';
import { wrapText } from '../../answers/word-wrap.ts';
import type { HelpTopic } from './parse-input.ts';

type Rows = readonly (readonly [string, string])[];

const commandRows: Rows = [
  ['/set', 'Set session variables'],
  ['/show', 'Show model information'],
  ['/load <model>', 'Switch to another model'],
  ['/save <model>', 'Save this session as a model'],
  ['/list', 'List models'],
  ['/clear', 'Clear session context'],
  ['/bye, /exit', 'Exit'],
  ['/?, /help', 'Show help for commands'],
  ['/? shortcuts', 'Show help for keyboard shortcuts'],
];

const setRows: Rows = [
  ['/set parameter <name> <value>', 'Set a parameter (see below)'],
  ['/set system <text>', 'Set the system message'],
  ['/set history', 'Enable saving of the input history'],
  ['/set nohistory', 'Disable saving of the input history'],
  ['/set wordwrap', 'Enable word wrap'],
  ['/set nowordwrap', 'Disable word wrap'],
  ['/set format json', 'Enable JSON mode'],
  ['/set format <file>', 'Enable structured output with the JSON schema in a file'],
  ['/set noformat', 'Disable JSON mode and structured output'],
  ['/set verbose', 'Show timing statistics'],
  ['/set quiet', 'Hide timing statistics'],
  ['/set think [level]', 'Enable thinking; the level is low, medium, high or max'],
  ['/set nothink', 'Disable thinking'],
];

const showRows: Rows = [
  ['/show info', 'Show details of the model'],
  ['/show license', 'Show the license'],
  ['/show modelfile', 'Show the Modelfile'],
  ['/show parameters', 'Show the parameters of the model and the session'],
  ['/show system', 'Show the system message'],
  ['/show template', 'Show the prompt template'],
];

const shortcutRows: Rows = [
  ['Enter', 'Send the message'],
  ['Alt + Enter, Ctrl + j', 'Insert a line break'],
  ['"""', 'Begin a multi-line message; """ ends it'],
  ['Up, Down', 'Show the previous or next history entry'],
  ['Ctrl + r', 'Search the history'],
  ['Ctrl + a, Ctrl + e', 'Move to the beginning or end of the line'],
  ['Alt + b, Alt + f', 'Move back or forward one word'],
  ['Ctrl + k, Ctrl + u', 'Cut to the end or beginning of the line'],
  ['Ctrl + w, Alt + d', 'Cut the word before or after the cursor'],
  ['Ctrl + y', 'Insert the cut text'],
  ['Tab', 'Complete a command or the name of a model'],
  ['Ctrl + g', 'Edit the message in $EDITOR'],
  ['Ctrl + l', 'Clear the screen'],
  ['Ctrl + z', 'Suspend; `fg` in the shell returns'],
  ['Ctrl + c', 'Stop the answer; at the prompt, discard the line'],
  ['Ctrl + d', 'Exit'],
];

interface HelpOptions {
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
  return supportsVision ? `${lines}Use /path/to/file to include .jpg, .png or .webp images.\n` : lines;
}

function parameterRows(): Rows {
  return (Object.keys(optionTable) as OptionKey[]).map((key) => [optionName(key), optionTable[key].help]);
}

/** A narrower second column would not be readable. */
const minTextWidth = 20;

/** Two columns; the second one is wrapped. */
function formatRows(rows: Rows, columns: number): string {
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  const room = Math.max(columns - width - 3, minTextWidth);
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
