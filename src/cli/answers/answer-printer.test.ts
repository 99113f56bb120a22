import { expect, test } from 'vitest';
import { createVirtualScreen } from '../../../test/support/terminal/virtual-screen.ts';
import type { Screen, Terminal } from '../terminal.ts';
import { createAnswerPrinter } from './answer-printer.ts';

interface Pipe extends Screen {
  readonly written: () => string;
}

function createPipe(): Pipe {
  let written = '';
  return {
    isTerminal: false,
    canRedraw: false,
    hasColors: false,
    width: () => 80,
    height: () => 24,
    write: (text) => {
      written += text;
    },
    setCursor: () => {},
    onResize: () => () => {},
    written: () => written,
  };
}

const stdin = { isTerminal: false, stream: process.stdin, setRaw: () => {} };
const createTestTerminal = <Out extends Screen, Err extends Screen>(stdout: Out, stderr: Err) => {
  const terminal: Terminal = { stdout, stderr, stdin, restore: () => {} };
  return { stdout, stderr, terminal };
};
const defaults = { wordWrap: true, hideThinking: false };

test('on a terminal, thinking and the answer are wrapped', () => {
  const { stdout, terminal } = createTestTerminal(createVirtualScreen({ columns: 20, rows: 20 }), createPipe());
  const printer = createAnswerPrinter(terminal, defaults);
  for (const text of ['I should ', 'add these two numbers.']) printer.thinking(text);
  printer.content('Two and two make four.');
  printer.end();
  expect(stdout.text()).toBe(
    'Thinking...\nI should add these\ntwo numbers.\n...done thinking.\n\nTwo and two make\nfour.',
  );
  expect(stdout.cursor().column).toBe(0);
});

test('in a pipe, the answer is unchanged except for a final newline, and thinking goes to standard error', () => {
  const { stdout, stderr, terminal } = createTestTerminal(createPipe(), createPipe());
  const printer = createAnswerPrinter(terminal, defaults);
  printer.thinking('hm');
  const answer = `${'word '.repeat(40)}\x1b[2J end`;
  printer.content(answer);
  printer.end();
  expect(stdout.written()).toBe(`${answer}\n`);
  expect(stderr.written()).toContain('Thinking...\nhm');
});

test('no second newline after an answer that ends with one, and none after an empty answer', () => {
  for (const [answer, expected] of [
    ['a\n', 'a\n'],
    ['', ''],
  ] as const) {
    const { stdout, terminal } = createTestTerminal(createPipe(), createPipe());
    const printer = createAnswerPrinter(terminal, defaults);
    printer.content(answer);
    printer.end();
    expect(stdout.written()).toBe(expected);
  }
});

test('thinking can be hidden, and control sequences are removed', () => {
  const { stdout, terminal } = createTestTerminal(createVirtualScreen({ columns: 40, rows: 20 }), createPipe());
  const printer = createAnswerPrinter(terminal, { ...defaults, hideThinking: true });
  printer.thinking('secret');
  printer.content('\x1b]0;title\x07\x1b[2J\x1b[31mred');
  printer.end();
  expect(stdout.text()).toBe(']0;title[2Jred');
});
