import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { createVirtualScreen } from '../../../../test/support/terminal/virtual-screen.ts';
import { completeInput } from '../commands/complete-input.ts';
import { interruptible } from './interruptible.ts';
import { createKeyboard } from './keyboard.ts';
import { openPrompt, type PromptOptions } from './read-line.ts';

function open(history: readonly string[] = [], others: Partial<PromptOptions> = {}) {
  const screen = createVirtualScreen({ columns: 40, rows: 10 });
  const stream = new PassThrough();
  const clock = createFakeClock();
  const modes: boolean[] = [];
  const stdin = { isTerminal: true, stream, setRaw: (raw: boolean) => void modes.push(raw) };
  const terminal = { stdout: screen, stderr: screen, stdin, restore: () => {} };
  const keyboard = createKeyboard({ terminal, clock });
  keyboard.open();
  return {
    screen,
    clock,
    keyboard,
    modes,
    prompt: () =>
      openPrompt({
        keyboard,
        screen,
        history,
        suspend: async () => {},
        edit: async (text) => `${text} edited`,
        complete: (before) => completeInput(before, async () => ['ember', 'ember-eyes']),
        errorText: String,
        ...others,
      }),
    async send(text: string) {
      stream.write(text);
      await new Promise(setImmediate);
    },
    hangUp: () => stream.end(),
  };
}

test('a line is typed, shown and submitted', async () => {
  const { prompt, send, screen } = open();
  const { line } = prompt();
  expect(screen.text()).toBe('>>> Send a message (/? for help)');
  await send('hello');
  expect(screen.text()).toBe('>>> hello');
  await send('\r');
  expect(await line).toEqual({ type: 'submit', text: 'hello' });
  expect(screen.cursor()).toEqual({ row: 1, column: 0 });
});

test('triple quotes span several lines, with a hint how to end them', async () => {
  const { prompt, send, screen } = open();
  const { line } = prompt();
  await send('"""one\r');
  expect(screen.text()).toBe('>>> """one\n... Use """ to end multi-line input');
  await send('two"""\r');
  expect(await line).toEqual({ type: 'submit', text: '"""one\ntwo"""' });
});

test('each prompt gets one line of the keys typed ahead', async () => {
  const { prompt, send } = open();
  await send('first\rsecond\rthi');
  expect(await prompt().line).toEqual({ type: 'submit', text: 'first' });
  expect(await prompt().line).toEqual({ type: 'submit', text: 'second' });
  const last = prompt().line;
  await send('rd\r');
  expect(await last).toEqual({ type: 'submit', text: 'third' });
});

test('a notice appears above the line and leaves it unchanged', async () => {
  const { prompt, send, screen } = open();
  const { notice } = prompt();
  await send('abc');
  notice('Something happened.\n');
  expect(screen.text()).toBe('Something happened.\n>>> abc');
});

test('Ctrl-R shows the query and the match', async () => {
  const { prompt, send, screen } = open(['tell me a story', 'why?']);
  const { line } = prompt();
  await send('\x12sto');
  expect(screen.text()).toBe("(search) 'sto': tell me a story");
  await send('\r');
  expect(await line).toEqual({ type: 'submit', text: 'tell me a story' });
});

test('a lone escape is a key after a timeout; an arrow key can be split across reads', async () => {
  const { prompt, send, clock, screen } = open(['before']);
  prompt();
  await send('\x1b');
  await send('[A');
  expect(screen.text()).toBe('>>> before');
  await send('\x12\x1b');
  expect(screen.text()).toBe("(search) '':");
  clock.advance(100);
  expect(screen.text()).toBe('>>> before');
});

test('closing the terminal exits', async () => {
  const { prompt, hangUp } = open();
  const { line } = prompt();
  hangUp();
  expect(await line).toEqual({ type: 'exit' });
});

test('Ctrl-C stops running work, and other keys are queued', async () => {
  const { keyboard, send, prompt } = open();
  const work = interruptible(
    { keyboard, signal: new AbortController().signal, suspend: async () => {} },
    (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('stopped'))),
  );
  await send('discarded\x03next\r');
  expect(await work).toBe('stopped');
  expect(await prompt().line).toEqual({ type: 'submit', text: 'next' });
});

test('Ctrl-Z suspends running work, which goes on afterwards', async () => {
  const { keyboard, send, prompt } = open();
  let suspensions = 0;
  let finish: (text: string) => void = () => {};
  const work = interruptible(
    { keyboard, signal: new AbortController().signal, suspend: async () => void suspensions++ },
    (signal) =>
      new Promise((resolve) => {
        finish = resolve;
        signal.addEventListener('abort', () => resolve('stopped'));
      }),
  );
  await send('ne\x1axt\r');
  expect(suspensions).toBe(1);
  finish('done');
  expect(await work).toBe('done');
  expect(await prompt().line).toEqual({ type: 'submit', text: 'next' });
});

test('close restores the terminal mode', () => {
  const { keyboard, modes } = open();
  keyboard.close();
  expect(modes).toEqual([true, false]);
});

test('Tab completes a command; a second word lists what is possible', async () => {
  const { prompt, send, screen } = open();
  const { line } = prompt();
  await send('/lo\t');
  expect(screen.text()).toBe('>>> /load');
  await send('e\t');
  expect(screen.text()).toBe('>>> /load ember');
  await send('\t');
  expect(screen.text()).toBe('ember  ember-eyes\n>>> /load ember');
  await send('-\t\r');
  expect(await line).toEqual({ type: 'submit', text: '/load ember-eyes ' });
});

test('Ctrl-G replaces the line with the text of the editor; a failing editor leaves it', async () => {
  const { prompt, send } = open();
  const { line } = prompt();
  await send('hi\x07');
  await send('!\r');
  expect(await line).toEqual({ type: 'submit', text: 'hi edited!' });
  const failing = open([], { edit: () => Promise.reject(new Error('no editor')), errorText: (error) => `${error}\n` });
  const { line: kept } = failing.prompt();
  await failing.send('hi\x07');
  expect(failing.screen.text()).toContain('Error: no editor\n>>> hi');
  await failing.send('\r');
  expect(await kept).toEqual({ type: 'submit', text: 'hi' });
});
