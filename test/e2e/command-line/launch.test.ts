// hearth launch with fixture programs that print what they get, against a real server.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { commandEnvironment, hearthScript } from '../../support/command.ts';
import { freePort } from '../../support/free-port.ts';
import { createHome, type Home, serversOf, stopServersOf } from '../../support/home.ts';
import { repository } from '../../support/repository.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import { hasTmux } from '../../support/terminal.ts';

const installed = ['claude', 'codex', 'opencode', 'aider', 'pi', 'droid'];
const bin = mkdtempSync(join(tmpdir(), 'hearth-agents-'));
// Without folders that may have the real programs.
const path = [bin, join(process.execPath, '..'), '/usr/bin', '/bin'].join(delimiter);
let server: TestServer;
let home: Home;
beforeAll(async () => {
  for (const name of installed) {
    copyFileSync(repository('test/fixtures/programs/agent.mjs'), join(bin, name));
    chmodSync(join(bin, name), 0o755);
  }
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
  rmSync(bin, { recursive: true });
});
beforeEach(() => {
  home = createHome(server.url, { PATH: path });
});
afterEach(() => home.remove());

interface Report {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

const launch = (...words: string[]) => home.pipe(['launch', ...words]);

async function reportOf(...words: string[]): Promise<Report> {
  const { code, stdout, stderr } = await launch(...words);
  expect([code, stderr]).toEqual([0, expect.stringContaining('Starting ')]);
  return JSON.parse(stdout) as Report;
}

/** All files in the home folder. */
const filesAtHome = (): string[] => readdirSync(home.folder, { recursive: true }).map(String).toSorted();

describe('without a program', () => {
  test('the programs are listed, with the command that installs a missing one', async () => {
    const { code, stdout } = await launch();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^NAME +PROGRAM +INSTALLED +INSTALL WITH\nclaude +Claude Code +yes\n/);
    expect(stdout).toMatch(/^qwen +Qwen Code +no +npm install -g @qwen-code\/qwen-code$/m);
  });
});

describe('a program', () => {
  test('gets the address, the model and the arguments of the user; no file of the user is changed', async () => {
    mkdirSync(join(home.folder, '.claude'));
    writeFileSync(join(home.folder, '.claude/settings.json'), '{}');
    const before = filesAtHome();
    const { args, environment } = await reportOf('claude', '--model', 'ember', '--', '-p', 'two words', '--model=x');
    expect(args).toEqual(['--settings', expect.any(String), '--model', 'ember', '-p', 'two words', '--model=x']);
    expect(environment).toMatchObject({
      HOME: home.folder,
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_DEFAULT_OPUS_MODEL: 'ember',
      CLAUDE_CODE_AUTO_COMPACT_WINDOW: '4096',
    });
    expect(filesAtHome()).toEqual(before);
    expect(readFileSync(join(home.folder, '.claude/settings.json'), 'utf8')).toBe('{}');
  });

  test('is configured by flags or by a variable, as it needs', async () => {
    const codex = await reportOf('codex', '-m', 'ember', '--', 'exec', 'Hi');
    expect(codex.args).toContain(`model_providers.hearth.base_url="${server.url}/v1"`);
    expect(codex.args.slice(-2)).toEqual(['exec', 'Hi']);
    const opencode = await reportOf('opencode', '-m', 'ember');
    expect(JSON.parse(opencode.environment['OPENCODE_CONFIG_CONTENT'] as string)).toMatchObject({
      model: 'hearth/ember',
      provider: {
        hearth: { options: { baseURL: `${server.url}/v1` }, models: { ember: { limit: { context: 4096 } } } },
      },
    });
  });

  test('gets a model with tools if none is named and nobody can be asked', async () => {
    expect(await launch('codex')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Starting Codex with ember\S*:latest\n$/m),
    });
  });

  test('has the input, and its exit code is the result', async () => {
    expect(await launch('aider', '-m', 'ember', '--', 'exit')).toMatchObject({ code: 7, stdout: '' });
    expect(await launch('aider', '-m', 'ember', '--', 'die')).toMatchObject({ code: 137 });
    const { stdout } = await home.pipe(['launch', 'aider', '-m', 'ember', '--', 'read'], 'piped text');
    expect(stdout).toBe('piped text');
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('gets %s', async (signal) => {
    const words = ['launch', 'aider', '--model', 'ember', '--', 'wait'];
    const options = { url: server.url, environment: { HOME: home.folder, PATH: path } };
    const child = spawn(process.execPath, [hearthScript, ...words], { env: commandEnvironment(options) });
    const closed = once(child, 'close');
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    await expect.poll(() => output).toBe('"waiting"\n');
    child.kill(signal);
    await expect.poll(() => output).toBe(`"waiting"\n"${signal}"\n`);
    child.stdin.write('\n');
    expect(await closed).toEqual([9, null]);
  });
});

test('without a server, one is started', async () => {
  const alone = createHome(`127.0.0.1:${await freePort()}`, { PATH: path });
  try {
    const { code, stderr } = await alone.pipe(['launch', 'aider', '-m', 'ember', '--', 'exit']);
    expect([code, stderr]).toEqual([
      7,
      expect.stringMatching(/^No server is running[\s\S]*^Starting Aider with ember$/m),
    ]);
    expect(serversOf(alone)).toHaveLength(1);
  } finally {
    await stopServersOf(alone);
    alone.remove();
  }
});

describe('warnings and errors', () => {
  test('a short context is a warning with the next step', async () => {
    expect(await launch('claude', '-m', 'ember')).toMatchObject({
      code: 0,
      stderr:
        "Warning: the context of 'ember' has 4096 tokens, Claude Code needs about 64000: choose a model with a longer context with --model\nStarting Claude Code with ember\n",
    });
  });

  test('a program that is not installed, or not known', async () => {
    expect(await launch('qwen')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'Error: Qwen Code is not installed: there is no command `qwen`; install it with `npm install -g @qwen-code/qwen-code`\n',
    });
    expect((await launch('goose')).stderr).toMatch(/; https:\/\/\S+ says how to install it\n$/);
    expect((await launch('cluade')).stderr).toBe('Error: unknown program "cluade": did you mean `claude`?\n');
    const { code, stderr } = await launch('claude-desktop');
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/only through a gateway .*; use `hearth launch claude`\n$/),
    ]);
    expect((await launch('codex-app')).stderr).toContain('use `hearth launch codex`');
  });

  test('a file that is not plain JSON is not changed, and the program is not started', async () => {
    mkdirSync(join(home.folder, '.claude'));
    const file = join(home.folder, '.claude/settings.json');
    writeFileSync(file, '{} // comment');
    const { code, stdout, stderr } = await launch('claude', '-m', 'ember', '--save');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('it is not plain JSON');
    expect(readFileSync(file, 'utf8')).toBe('{} // comment');
    expect((await launch('aider', '-m', 'ember', '--save')).stderr).toContain('--save is not possible for Aider');
  });
});

describe('--save', () => {
  test('adds to the file of the program, keeps the old one, and does nothing the second time', async () => {
    mkdirSync(join(home.folder, '.claude'));
    const file = join(home.folder, '.claude/settings.json');
    writeFileSync(file, '{"theme": "dark"}');
    const first = await launch('claude', '-m', 'ember', '--save');
    expect(first.stderr).toContain(`Adding to ${file}; the old file is ${file}.backup-1:\n{\n  "env": {`);
    const text = readFileSync(file, 'utf8');
    expect(JSON.parse(text)).toMatchObject({ theme: 'dark', model: 'ember', env: { ANTHROPIC_BASE_URL: server.url } });
    expect(readFileSync(`${file}.backup-1`, 'utf8')).toBe('{"theme": "dark"}');
    const second = await launch('claude', '-m', 'ember', '--save');
    expect(second).toMatchObject({ code: 0, stderr: expect.stringContaining('has this configuration already') });
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(readdirSync(join(home.folder, '.claude')).toSorted()).toEqual(['settings.json', 'settings.json.backup-1']);
  });
});

describe('a program with a file', () => {
  test('gets an entry in it, each time the current one; --restore puts the old file back', async () => {
    const file = join(home.folder, '.factory/settings.json');
    mkdirSync(join(home.folder, '.factory'));
    writeFileSync(file, '{"customModels": [{"id": "custom:Mine-0"}]}');
    const { code, stdout, stderr } = await launch('droid', '-m', 'ember', '--', 'exec', 'Hi');
    expect([code, stderr]).toEqual([0, expect.stringContaining(`the old file is ${file}.backup-1:`)]);
    expect((JSON.parse(stdout) as Report).args).toEqual(['exec', 'Hi']);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      customModels: [{ model: 'ember', baseUrl: `${server.url}/v1` }, { id: 'custom:Mine-0' }],
      sessionDefaultSettings: { model: 'custom:Hearth-0' },
    });
    await launch('droid', '-m', 'ember-thinks');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      customModels: [{ model: 'ember-thinks' }, { id: 'custom:Mine-0' }],
    });
    expect(await launch('droid', '--restore')).toEqual({
      code: 0,
      stdout: '',
      stderr: `Put ${file} back as it was before hearth launch.\n`,
    });
    expect(readFileSync(file, 'utf8')).toBe('{"customModels": [{"id": "custom:Mine-0"}]}');
    expect(readdirSync(join(home.folder, '.factory'))).toEqual(['settings.json']);
  });

  test('has the key in its environment, and the file names the variable', async () => {
    const keyed = createHome(server.url, { PATH: path, HEARTH_API_KEY: 'hearth_secret' });
    try {
      const { stdout } = await keyed.pipe(['launch', 'pi', '-m', 'ember']);
      expect((JSON.parse(stdout) as Report).environment['HEARTH_API_KEY']).toBe('hearth_secret');
      const text = readFileSync(join(keyed.folder, '.pi/agent/models.json'), 'utf8');
      expect(JSON.parse(text)).toMatchObject({ providers: { hearth: { apiKey: '$HEARTH_API_KEY' } } });
      expect((await keyed.pipe(['launch', 'pi', '--restore'])).stderr).toContain('which hearth launch had created.');
      expect(readdirSync(join(keyed.folder, '.pi/agent'))).toEqual([]);
    } finally {
      keyed.remove();
    }
  });
});

describe('--config', () => {
  test('prints what a program would get, also if it is not installed, and changes nothing', async () => {
    const before = filesAtHome();
    const { code, stdout } = await launch('code', '-m', 'ember', '--config');
    expect(code).toBe(0);
    expect(stdout).toContain(`Added to ${join(home.folder, '.config/Code/User/chatLanguageModels.json')}:\n[\n`);
    expect(stdout).toContain(`"url": "${server.url}/v1/chat/completions"`);
    expect((await launch('codex', '--config', '-m', 'ember', '--', 'exec', 'two words')).stdout).toMatch(
      /^Command:\n {2}codex -c 'model="ember"' .* exec 'two words'\n$/,
    );
    expect(filesAtHome()).toEqual(before);
  });

  test('does not pull a model, and does not go with --restore', async () => {
    expect(await launch('pi', '-m', 'missing', '--config')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('not found'),
    });
    expect((await launch('pi', '--config', '--restore')).stderr).toBe(
      'Error: --restore excludes --save and --config\n',
    );
    expect((await launch('aider', '--restore')).stderr).toContain('writes no file of Aider');
  });
});

describe.skipIf(!hasTmux)('in a terminal', () => {
  test('the model is asked for; Ctrl-C reaches the program once', async () => {
    const terminal = home.open(['launch', 'aider', '--', 'wait']);
    const question = await terminal.waitFor(/Model for Aider \(1-\d, default 1\):/);
    const [, number = ''] = /^(\d) +ember-thinks:latest /m.exec(question) ?? [];
    terminal.type(number);
    terminal.press('Enter');
    await terminal.waitFor(/^Starting Aider with ember-thinks:latest$[\s\S]*"waiting"$/m);
    terminal.press('C-c');
    await terminal.waitFor('"SIGINT"');
    terminal.press('Enter');
    await terminal.waitFor('"signals: 1"');
    expect(await terminal.exitCode()).toBe(9);
  });

  test('Ctrl-C at the question ends the command', async () => {
    const terminal = home.open(['launch', 'aider']);
    await terminal.waitFor('Model for Aider');
    terminal.press('C-c');
    expect(await terminal.exitCode()).toBe(130);
  });
});
