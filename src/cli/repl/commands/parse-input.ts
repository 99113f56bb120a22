// Parses a line of the prompt: a message to the model or a command.
//
//   input   = command | message
//   command = "/" word { space word }
//   message = anything else, or text in triple quotes; a path such as /tmp/a.png is a message too

import { nearestWord } from '../../../base/text/nearest-word.ts';
import { type Think, thinkLevels } from '../../answers/preferences.ts';
import { withoutQuotes } from '../input/multi-line.ts';

export const helpTopics = ['set', 'show', 'shortcuts'] as const;
export type HelpTopic = 'commands' | (typeof helpTopics)[number];
export const showTopics = ['info', 'license', 'modelfile', 'parameters', 'system', 'template'] as const;
export type ShowTopic = (typeof showTopics)[number];

export type Input =
  | { readonly type: 'nothing' }
  | { readonly type: 'message'; readonly text: string }
  | { readonly type: 'help'; readonly topic: HelpTopic }
  | { readonly type: 'exit' }
  | { readonly type: 'clear' }
  | { readonly type: 'list' }
  | { readonly type: 'load' | 'save'; readonly model: string }
  | { readonly type: 'show'; readonly topic: ShowTopic }
  | { readonly type: 'set-parameter'; readonly name: string; readonly values: readonly string[] }
  | { readonly type: 'set-system'; readonly text: string }
  | { readonly type: 'set-format'; readonly format: string | undefined }
  | { readonly type: 'set-think'; readonly think: Think }
  | { readonly type: 'set-switch'; readonly switch: 'history' | 'wordwrap' | 'verbose'; readonly on: boolean }
  /** An invalid command, with a message for the user. */
  | { readonly type: 'error'; readonly text: string };

export function parseInput(line: string): Input {
  const text = line.trim();
  if (text === '') return { type: 'nothing' };
  const [, word = '', rest = ''] = /^(\/\S*)\s*([\s\S]*)$/.exec(text) ?? [];
  // A second slash means a path, for example of an image.
  if (word === '' || /^\/[^/]+\//.test(word)) return { type: 'message', text: withoutQuotes(text) };
  const parse = commands.get(word);
  return parse === undefined ? unknownCommand(word) : parse(rest.trim());
}

const commands: ReadonlyMap<string, (rest: string) => Input> = new Map(
  Object.entries<(rest: string) => Input>({
    '/?': parseHelp,
    '/help': parseHelp,
    '/set': parseSet,
    '/show': parseShow,
    '/load': (rest) => parseModel('load', rest),
    '/save': (rest) => parseModel('save', rest),
    '/list': () => ({ type: 'list' }),
    '/clear': () => ({ type: 'clear' }),
    '/bye': () => ({ type: 'exit' }),
    '/exit': () => ({ type: 'exit' }),
  }),
);

/** The first words of commands. */
export const commandWords: readonly string[] = [...commands.keys()];

const invalid = (text: string): Input => ({ type: 'error', text });

function unknownCommand(word: string): Input {
  // A file in the root folder is not a command.
  if (/\.\w+$/.test(word)) return { type: 'message', text: word };
  const suggestion = nearestWord(word, commandWords);
  const hint = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`;
  return invalid(`Unknown command '${word}'.${hint} Type /? for help`);
}

function parseHelp(rest: string): Input {
  const topic = helpTopics.find((name) => name === rest.replace(/^\//, ''));
  return { type: 'help', topic: topic ?? 'commands' };
}

function parseModel(type: 'load' | 'save', rest: string): Input {
  if (/^\S+$/.test(rest)) return { type, model: rest };
  return invalid(`Usage:\n  /${type} <modelname>`);
}

function parseShow(rest: string): Input {
  if (rest === '') return { type: 'help', topic: 'show' };
  const topic = showTopics.find((name) => name === rest);
  if (topic !== undefined) return { type: 'show', topic };
  return unknownWord('/show', rest, showTopics);
}

const setters: ReadonlyMap<string, (rest: string) => Input> = new Map(
  Object.entries<(rest: string) => Input>({
    parameter: parseParameter,
    system: (rest) =>
      rest === '' ? invalid('Usage:\n  /set system <message>') : { type: 'set-system', text: withoutQuotes(rest) },
    history: () => ({ type: 'set-switch', switch: 'history', on: true }),
    nohistory: () => ({ type: 'set-switch', switch: 'history', on: false }),
    wordwrap: () => ({ type: 'set-switch', switch: 'wordwrap', on: true }),
    nowordwrap: () => ({ type: 'set-switch', switch: 'wordwrap', on: false }),
    verbose: () => ({ type: 'set-switch', switch: 'verbose', on: true }),
    quiet: () => ({ type: 'set-switch', switch: 'verbose', on: false }),
    format: (rest) =>
      rest === ''
        ? invalid('Usage:\n  /set format json\n  /set format <file with a JSON schema>')
        : { type: 'set-format', format: rest },
    noformat: () => ({ type: 'set-format', format: undefined }),
    think: parseThink,
    nothink: () => ({ type: 'set-think', think: false }),
  }),
);

/** The words after /set. */
export const setWords: readonly string[] = [...setters.keys()];

function parseSet(rest: string): Input {
  if (rest === '') return { type: 'help', topic: 'set' };
  const [, word = '', value = ''] = /^(\S+)\s*([\s\S]*)$/.exec(rest) ?? [];
  return setters.get(word)?.(value) ?? unknownWord('/set', word, setWords);
}

function parseParameter(rest: string): Input {
  const [name = '', ...values] = wordsOf(rest);
  if (name !== '' && values.length > 0) return { type: 'set-parameter', name, values };
  return invalid('Usage:\n  /set parameter <name> <value>\nType /? set for a list of parameters');
}

/** Splits at whitespace; quotes keep a word with spaces together, such as a stop sequence. */
function wordsOf(text: string): string[] {
  return Array.from(text.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, bare]) => quoted ?? bare ?? '');
}

function parseThink(rest: string): Input {
  if (rest === '') return { type: 'set-think', think: true };
  const level = thinkLevels.find((name) => name === rest);
  if (level !== undefined) return { type: 'set-think', think: level };
  return unknownWord('/set think', rest, thinkLevels);
}

function unknownWord(command: string, word: string, words: readonly string[]): Input {
  const suggestion = nearestWord(word, words);
  const hint = suggestion === undefined ? '' : ` Did you mean '${command} ${suggestion}'?`;
  return invalid(`Unknown command '${command} ${word}'.${hint} Type /? ${command.slice(1).split(' ')[0]} for help`);
}
