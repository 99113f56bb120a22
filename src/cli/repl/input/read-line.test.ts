import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { createVirtualScreen } from '../../../../test/support/terminal/virtual-screen.ts';
import { interruptible } from './interruptible.ts';
import { createKeyboard } from './keyboard.ts';
import { openPrompt } from './read-line.ts';

function open(history: readonly string[] = []) {
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
    prompt: () => openPrompt({ keyboard, screen, history, suspend: async () => {} }),
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
    { keyboard, signal: new AbortController().signal },
    (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('stopped'))),
  );
  await send('discarded\x03next\r');
  expect(await work).toBe('stopped');
  expect(await prompt().line).toEqual({ type: 'submit', text: 'next' });
});

test('close restores the terminal mode', () => {
  const { keyboard, modes } = open();
  keyboard.close();
  expect(modes).toEqual([true, false]);
});
