import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { Screen, TerminalInput } from '../terminal.ts';
import { askForModel, askYesOrNo, type OfferedModel } from './ask-for-model.ts';

const models = [
  { name: 'qwen3:8b', size: 5.2e9, capabilities: ['completion', 'tools'] },
  { name: 'ember:latest', size: 26e6, capabilities: ['completion'] },
] as unknown as OfferedModel[];

interface Answer {
  readonly chosen: Promise<string>;
  readonly stream: PassThrough;
  readonly screen: () => string;
  readonly controller: AbortController;
}

function open(...lines: string[]) {
  const stream = new PassThrough();
  let shown = '';
  const stderr = {
    isTerminal: true,
    width: () => 80,
    write: (text: string) => {
      shown += text;
    },
  } as Screen;
  const stdin: TerminalInput = { isTerminal: true, stream, setRaw: () => {} };
  const controller = new AbortController();
  const { signal } = controller;
  const question = { terminal: { stdin, stderr }, signal };
  for (const line of lines) stream.write(`${line}\n`);
  return { question, stream, screen: () => shown, controller };
}

function ask(...lines: string[]): Answer {
  const { question, ...rest } = open(...lines);
  return { chosen: askForModel({ ...question, models, title: 'Codex', instead: 'pass --model' }), ...rest };
}

test.each([
  ['', 'qwen3:8b'],
  ['1', 'qwen3:8b'],
  [' 2 ', 'ember:latest'],
  ['ember', 'ember:latest'],
  ['ember:latest', 'ember:latest'],
])('the answer "%s" is %s', async (line, expected) => {
  const { chosen, stream } = ask(line);
  expect(await chosen).toBe(expected);
  expect(stream.isPaused()).toBe(true);
});

test('the models are numbered; a wrong answer repeats the question', async () => {
  const { chosen, screen } = ask('0', '3', 'nothing', '2');
  expect(await chosen).toBe('ember:latest');
  const question = 'Model for Codex (1-2, default 1): ';
  expect(screen()).toBe(
    [
      '     NAME            SIZE      CAPABILITIES',
      '1    qwen3:8b        5.2 GB    completion, tools',
      '2    ember:latest    26 MB     completion',
      question.repeat(4),
    ].join('\n'),
  );
});

test('the end of the input and an interruption end the question', async () => {
  const ended = ask();
  ended.stream.end();
  await expect(ended.chosen).rejects.toThrow('no model was chosen; pass --model');
  const interrupted = ask();
  interrupted.controller.abort();
  await expect(interrupted.chosen).rejects.toThrow('no model was chosen');
});

test.each([
  ['', true],
  ['Y', true],
  ['yes', true],
  [' n', false],
  ['no', false],
])('the answer "%s" to a question with yes or no is %s', async (line, expected) => {
  expect(await askYesOrNo(open(line).question, 'Did you mean ember?')).toBe(expected);
});

test('other answers repeat the question, and no answer means no', async () => {
  const { question, stream, screen } = open('perhaps');
  stream.end();
  expect(await askYesOrNo(question, 'Did you mean ember?')).toBe(false);
  expect(screen()).toBe('Did you mean ember? (Y/n) '.repeat(2));
});
