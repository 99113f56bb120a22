// The interactive prompt of `hearth run` in a real terminal. The expected screens are in test/goldens/screens.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ShowResponseBody } from '../../../src/server/dialects/ollama/models/show-schema.ts';
import { post } from '../../support/client.ts';
import { hearthScript } from '../../support/command.ts';
import { createHome, createSteadyEmber, type Home } from '../../support/home.ts';
import { colors, drawPng } from '../../support/models/draw.ts';
import { addEndlessModel } from '../../support/models/endless-ember.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import { hasTmux, type TestTerminal } from '../../support/terminal.ts';

const golden = (name: string): string => `../../goldens/screens/${name}.txt`;

describe.skipIf(!hasTmux)('at the prompt', () => {
  const shellVariables = () => ({ HOME: home.folder, HEARTH_HOST: server.url, PS1: '$ ', HISTFILE: '/dev/null' });
  let server: TestServer;
  let home: Home;
  beforeAll(async () => {
    server = await startServer();
    await createSteadyEmber(server.url);
    await addEndlessModel(server.store, 'endless');
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    home = createHome(server.url);
  });
  afterEach(() => home.remove());

  const begin = async (model = 'steady', options: Parameters<Home['open']>[1] = {}): Promise<TestTerminal> => {
    const terminal = home.open(['run', model], options);
    await terminal.waitFor('>>> Send a message');
    return terminal;
  };

  /** Types a line and waits for the next prompt. */
  const ask = async (terminal: TestTerminal, line: string): Promise<string> => {
    terminal.type(line);
    // Otherwise the previous prompt would match.
    if (line !== '') await terminal.waitFor(new RegExp(`>>> ${line.replace(/[^\w ]/g, '\\$&')}$`));
    terminal.press('Enter');
    return terminal.waitFor(/\n>>> Send a message \(\/\? for help\)$/);
  };

  const show = async (model: string): Promise<ShowResponseBody> =>
    (await post<ShowResponseBody>(server.url, '/api/show', { model })).objects[0] as ShowResponseBody;

  test('a conversation, and /bye', async () => {
    const terminal = await begin();
    expect(await ask(terminal, 'What is the capital of France?')).toMatch(/Paris/);
    expect(await ask(terminal, 'What is 2 + 2?')).toMatch(
      /^>>> What is the capital of France\?\n.*Paris.*\n\n>>> What is 2 \+ 2\?\n.*4.*\n\n>>> Send a message/,
    );
    terminal.type('/bye');
    terminal.press('Enter');
    expect(await terminal.exitCode()).toBe(0);
  });

  test('the history persists across runs, and Ctrl-R searches it', async () => {
    const first = await begin();
    await ask(first, '/set parameter seed 3');
    first.paste('/set system Two\nlines');
    first.press('Enter');
    await first.waitFor('Set system message.');
    await ask(first, '/set quiet');
    first.press('C-d');
    expect(await first.exitCode()).toBe(0);
    const second = await begin();
    second.press('Up');
    await second.waitFor('>>> /set quiet');
    second.press('Up');
    await second.waitFor('>>> /set system Two\n... lines');
    second.press('Up', 'Up');
    await second.waitFor('>>> /set parameter seed 3');
    second.press('C-c', 'C-r');
    second.type('qui');
    await second.waitFor("(search) 'qui': /set quiet");
    second.press('Enter');
    await second.waitFor("Set 'quiet' mode.");
  });

  test('a multi-line message in triple quotes can be edited until it is sent', async () => {
    const terminal = await begin();
    terminal.type('"""What is the capital');
    terminal.press('Enter');
    await terminal.waitFor('... Use """ to end multi-line input');
    terminal.type('of Germany?"""');
    terminal.press('Up', 'C-e');
    for (const _ of 'Germany') terminal.press('Left');
    await terminal.waitFor(/capital\n\.\.\. of Germany\?"""$/);
    terminal.press('Down', 'C-e');
    expect(await ask(terminal, '')).toMatch(
      /^>>> """What is the capital\n\.\.\. of Germany\?"""\n.*Berlin.*\n\n>>> Send/,
    );
  });

  test('Ctrl-Z returns to the shell, and fg continues the conversation', async () => {
    const shell = home.open([], { command: ['bash', '--noprofile', '--norc', '-i'], environment: shellVariables() });
    shell.type(`'${process.execPath}' '${hearthScript}' run steady`);
    shell.press('Enter');
    await shell.waitFor('>>> Send a message');
    shell.type('What is the capital of');
    await shell.waitFor('>>> What is the capital of');
    shell.press('C-z');
    await shell.waitFor(/Stopped[\s\S]*\$ ?$/);
    shell.type('fg');
    shell.press('Enter');
    await shell.waitFor(/fg\n(?:.*\n)*>>> What is the capital of$/);
    shell.type(' France?');
    shell.press('Enter');
    await shell.waitFor(/Paris[\s\S]*>>> Send a message/);
    shell.press('C-d');
    await shell.waitFor(/\n\$ ?$/);
    shell.type('echo "code $?"');
    shell.press('Enter');
    await shell.waitFor('\ncode 0');
  });

  test('Ctrl-Z where nothing can continue the process returns to the prompt', async () => {
    const terminal = await begin();
    terminal.press('C-z');
    expect(await ask(terminal, '/set quiet')).toContain("Set 'quiet' mode.");
  });

  test('Ctrl-G edits the message in $EDITOR', async () => {
    const editor = join(home.folder, 'editor.sh');
    writeFileSync(editor, '#!/bin/sh\nprintf "/set system Edited:\\n%s\\n" "$(cat "$2")" > "$2"\n', { mode: 0o755 });
    const terminal = await begin('steady', {
      environment: { HOME: home.folder, HEARTH_HOST: server.url, EDITOR: `${editor} --flag` },
    });
    terminal.type('draft');
    terminal.press('C-g');
    await terminal.waitFor(/>>> \/set system Edited:\n\.\.\. draft$/);
    terminal.press('Enter');
    await terminal.waitFor('Set system message.');
    const failing = await begin('steady', {
      environment: { HOME: home.folder, HEARTH_HOST: server.url, EDITOR: 'false' },
    });
    failing.type('draft');
    failing.press('C-g');
    await failing.waitFor(/Error: the editor 'false' failed: exit code 1; set EDITOR to another one\n+>>> draft$/);
  });

  test('Tab completes commands and names of models', async () => {
    const terminal = await begin();
    terminal.type('/lo');
    terminal.press('Tab');
    await terminal.waitFor(/>>> \/load$/);
    terminal.type('ember');
    terminal.press('Tab');
    await terminal.waitFor(/ember-eyes:latest[\s\S]*>>> \/load ember$/);
    terminal.type('-e');
    terminal.press('Tab');
    await terminal.waitFor(/>>> \/load ember-eyes:latest$/);
    terminal.press('Enter');
    await terminal.waitFor("Loading model 'ember-eyes:latest'");
  });

  test('a model without an ability is not asked for it', async () => {
    writeFileSync(join(home.folder, 'a.png'), drawPng({ shape: 'circle', color: colors.red }));
    const terminal = await begin();
    expect(await ask(terminal, '/set think')).toContain("Error: 'steady' cannot think");
    expect(await ask(terminal, 'What is ./a.png')).toContain("'steady' cannot see the image './a.png'");
  });

  test('a multi-line paste is one message and is not sent automatically', async () => {
    const terminal = await begin();
    terminal.paste('What is\n2 + 2?\n\nOne number.');
    await expect(await terminal.waitFor('... One number.')).toMatchFileSnapshot(golden('paste'));
    terminal.press('C-c');
    await terminal.waitFor(/\n>>> Send a message/);
  });

  test('Ctrl-C stops an answer and keeps it; /save saves it in a model', async () => {
    const terminal = await begin('endless');
    await ask(terminal, '/set system Speak.');
    await ask(terminal, '/set parameter temperature 0.5');
    await ask(terminal, '/set parameter seed 7');
    terminal.type('Once upon a time');
    terminal.press('Enter');
    // The answer does not end; its beginning may have scrolled off the screen.
    await terminal.waitFor(/(?:.*\n){14}/);
    terminal.press('C-c');
    await terminal.waitFor(/\n>>> Send a message \(\/\? for help\)$/);
    const stopped = terminal.history();
    await ask(terminal, '/save saved');
    expect(terminal.screen()).toContain("Created new model 'saved'");
    const saved = await show('saved');
    expect(saved.system).toBe('Speak.');
    expect(saved.parameters).toMatch(/temperature +0\.5/);
    expect(saved.messages?.map(({ role }) => role)).toEqual(['user', 'assistant']);
    const content = saved.messages?.[1]?.content.replace(/\s/g, '') ?? '';
    expect(content.length).toBeGreaterThan(20);
    expect(stopped.replace(/\s/g, '')).toContain(content);
    // The saved model replays its messages.
    terminal.press('C-d');
    expect(await terminal.exitCode()).toBe(0);
    const reopened = await begin('saved');
    expect(reopened.history()).toMatch(/^>>> Once upon a time\n/);
  });

  test('commands reply; unknown commands get a suggestion', async () => {
    const terminal = await begin('steady', { rows: 60 });
    for (const line of [
      '/sohw info',
      '/set verbsoe',
      '/set parameter temprature 0',
      '/set parameter num_ctx many',
      '/set parameter num_predict 5',
      '/set system Be brief.',
      '/set nowordwrap',
      '/set format json',
      '/set noformat',
      '/show system',
      '/show parameters',
      '/load nothing-here',
      '/clear',
    ])
      await ask(terminal, line);
    await expect(terminal.screen()).toMatchFileSnapshot(golden('commands'));
  });

  test('help', async () => {
    const terminal = await begin('steady', { rows: 100 });
    await expect(await ask(terminal, '/?')).toMatchFileSnapshot(golden('help'));
    terminal.press('C-l');
    await expect(await ask(terminal, '/? shortcuts')).toMatchFileSnapshot(golden('help-shortcuts'));
    terminal.press('C-l');
    await expect(await ask(terminal, '/? set')).toMatchFileSnapshot(golden('help-set'));
  });

  test('/show info and /list print the same as the commands', async () => {
    const terminal = await begin('steady', { rows: 60 });
    const listed = await home.pipe(['list']);
    const shown = await home.pipe(['show', 'steady']);
    for (const line of shown.stdout.split('\n')) expect(await ask(terminal, '/show info')).toContain(line);
    const names = listed.stdout.split('\n').map((line) => line.split(' ')[0] ?? '');
    const screen = await ask(terminal, '/list');
    for (const name of names) expect(screen).toContain(name);
  });

  test('/set verbose shows timing statistics', async () => {
    const terminal = await begin();
    await ask(terminal, '/set verbose');
    const screen = await ask(terminal, 'Hi');
    for (const label of ['total duration:', 'prompt eval count:', 'eval count:', 'eval rate:'])
      expect(screen).toContain(label);
  });

  test('wide characters, cursor movement and a resized window', async () => {
    const terminal = await begin('steady', { columns: 24, rows: 12 });
    terminal.type('日本語とABCを混ぜた長い文');
    terminal.press('Left', 'BSpace', 'C-a', 'Right', 'Delete');
    await expect(await terminal.waitFor(/>>> 日語とABC(.|\n)*長\n?文$/)).toMatchFileSnapshot(golden('wide-24'));
    terminal.resize(16, 12);
    await expect(await terminal.waitFor(/ABCを\n混ぜた長文$/)).toMatchFileSnapshot(golden('wide-16'));
    terminal.resize(40, 12);
    await expect(await terminal.waitFor('日語とABCを混ぜた長文')).toMatchFileSnapshot(golden('wide-40'));
  });

  test('Ctrl-C at an empty prompt shows how to exit, Ctrl-D exits', async () => {
    const terminal = await begin();
    terminal.type('something');
    terminal.press('C-c');
    terminal.press('C-c');
    await expect(await terminal.waitFor('Use Ctrl + d or /bye to exit.')).toMatchFileSnapshot(golden('interrupt'));
    terminal.press('C-d');
    expect(await terminal.exitCode()).toBe(0);
  });

  test('a vision model receives an image named in the message', async () => {
    writeFileSync(join(home.folder, 'my image.png'), drawPng({ shape: 'circle', color: colors.red }));
    const terminal = await begin('ember-eyes');
    await ask(terminal, '/set parameter temperature 0');
    const screen = await ask(terminal, 'What is this? ./my\\ image.png');
    expect(screen).toContain("Added image './my\\ image.png'");
    expect(screen).toMatch(/red/i);
    expect(await ask(terminal, 'And ./none.png?')).toContain("File './none.png' not found");
  });

  test('a stopped server is reported, and the prompt stays', async () => {
    const other = await startServer();
    const otherHome = createHome(other.url);
    try {
      const terminal = otherHome.open(['run', 'ember']);
      await terminal.waitFor('Send a message');
      await other.stop();
      terminal.type('Are you there?');
      terminal.press('Enter');
      await terminal.waitFor(/Error: no server at .*\n\n>>> Send a message/s);
    } finally {
      otherHome.remove();
    }
  });
});
