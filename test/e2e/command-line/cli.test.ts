// The command line with pipes, as scripts use it, against a real server.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parsePrivateKey } from '../../../src/models/keys/private-key.ts';
import { parsePublicKey } from '../../../src/models/keys/public-key.ts';
import type { ShowResponseBody } from '../../../src/server/dialects/ollama/models/show-schema.ts';
import type { TagsResponseBody } from '../../../src/server/dialects/ollama/models/tags-schema.ts';
import type { PsResponseBody } from '../../../src/server/dialects/ollama/status/ps-schema.ts';
import { ask } from '../../support/client.ts';
import { type CommandResult, commandEnvironment, hearthScript, hearth as runHearth } from '../../support/command.ts';
import { repository } from '../../support/repository.ts';
import { startServer, type TestServer } from '../../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-cli-'));
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const hearth = (...words: string[]): Promise<CommandResult> => runHearth(words, { url: server.url, cwd: folder });
// Commands start a server on this machine, but not on another one.
const nowhere = 'http://hearth.invalid:9';
const names = async (): Promise<string[]> => {
  const { models } = JSON.parse((await hearth('list', '--json')).stdout) as TagsResponseBody;
  return models.map(({ name }) => name);
};

describe('commands that read', () => {
  test('list shows names, short IDs, sizes and ages; a prefix filters', async () => {
    const { code, stdout, stderr } = await hearth('list');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^NAME {2,}ID {2,}SIZE {2,}MODIFIED\n/);
    expect(stdout).toMatch(/^ember:latest {4,}[0-9a-f]{12} {4}\d+ MB {4}.+ ago$/m);
    const filtered = (await hearth('ls', 'EMBER-E')).stdout.split('\n');
    expect(filtered.filter((line) => line.startsWith('ember'))).toEqual([expect.stringMatching(/^ember-eyes:latest /)]);
  });

  test('show prints sections; a flag prints one part unchanged', async () => {
    const { code, stdout } = await hearth('show', 'ember');
    expect(code).toBe(0);
    await expect(stdout).toMatchFileSnapshot('../../goldens/screens/show-ember.txt');
    const { template } = JSON.parse((await hearth('show', 'ember', '--json')).stdout) as ShowResponseBody;
    expect((await hearth('show', 'ember', '--template')).stdout.trimEnd()).toBe(template.trimEnd());
    expect((await hearth('show', 'ember', '--system')).stdout).toBe('');
    expect((await hearth('show', 'ember', '-v')).stdout).toContain('llama.block_count');
    expect(await hearth('show', 'ember', '--license', '--system')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("only one of '--license', '--modelfile'"),
    });
  });

  test('key prints the key of the server, not of the user who asks', async () => {
    const { code, stdout } = await hearth('public-key');
    expect(code).toBe(0);
    // The name before, which was taken for `keys`.
    expect((await hearth('key')).stdout).toBe(stdout);
    const own = readFileSync(join(dirname(server.store), '.hearth', 'id_ed25519'), 'utf8');
    expect(parsePrivateKey(own).publicKey.bytes.equals(parsePublicKey(stdout.trim()).bytes)).toBe(true);
  });

  test('ps lists running models; stop unloads one', async () => {
    await ask(server.url, 'Hi', { num_predict: 1 });
    const { stdout } = await hearth('ps');
    expect(stdout).toMatch(/^NAME +ID +SIZE +PROCESSOR +CONTEXT +UNTIL\n/);
    expect(stdout).toMatch(/^ember:latest +[0-9a-f]{12} +\d+ MB +100% CPU +\d+ +(4|5) minutes from now$/m);
    expect(JSON.parse((await hearth('ps', '--json')).stdout) as PsResponseBody).toMatchObject({
      models: [{ name: 'ember:latest' }],
    });
    expect(await hearth('stop', 'ember')).toEqual({ code: 0, stdout: '', stderr: '' });
    await expect.poll(async () => (await hearth('ps')).stdout).not.toContain('ember');
  });

  test('version prints the version of the server, or a warning without a server', async () => {
    const { version } = JSON.parse(execFileSync('cat', [repository('package.json')], { encoding: 'utf8' }));
    for (const words of [['version'], ['-v'], ['--version']])
      expect(await hearth(...words)).toEqual({ code: 0, stdout: `hearth version is ${version}\n`, stderr: '' });
    const alone = await runHearth(['--version'], { url: nowhere });
    expect(alone).toEqual({
      code: 0,
      stdout: `hearth version is ${version}\n`,
      stderr: `Warning: could not connect to a running Hearth server at ${nowhere}\n`,
    });
  });

  test('bench prints a table or JSON', async () => {
    const flags = ['bench', 'ember', '--rounds', '2', '--tokens', '8', '--prompt-tokens', '40'];
    expect((await hearth(...flags)).stdout).toMatch(/^generation +8 +[\d.]+ tokens\/s/m);
    const { rounds, ...medians } = JSON.parse((await hearth(...flags, '--json')).stdout);
    expect(rounds).toHaveLength(2);
    expect(medians.tokens_per_second).toBeGreaterThan(0);
  });

  test('eval prints accuracies or JSON, and names the line of a task file that is not valid', async () => {
    const path = join(folder, 'task.jsonl');
    const lines = [
      { category: 'facts', prompt: 'The capital of France is', choices: ['Paris', 'xqzw'], answer: 0 },
      { category: 'facts', prompt: 'The capital of France is', choices: ['Paris', 'xqzw'], answer: 1 },
      { category: 'forms', prompt: 'Hi.', check: { pattern: '.' }, max_tokens: 4 },
    ];
    writeFileSync(path, lines.map((line) => JSON.stringify(line)).join('\n'));
    const { code, stdout, stderr } = await hearth('eval', 'ember', '--task', path);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('evaluating ember 100%') });
    expect(stdout).toMatch(/^facts +1\/2 +50\.0% +9\.5% - 90\.5%.*\nforms +1\/1.*\nall +2\/3/m);
    const result = JSON.parse((await hearth('eval', 'ember', '--task', path, '--limit', '2', '--json')).stdout);
    expect(result).toMatchObject({
      model: 'ember',
      items: 2,
      correct: 1,
      answers: [{ answer: 'Paris', correct: true }, {}],
    });
    writeFileSync(path, '\n{"prompt": 1}');
    expect(await hearth('eval', 'ember', '--task', path)).toMatchObject({
      code: 1,
      stderr: `Error: ${path}:2: prompt must be a text\n`,
    });
  });
});

describe('commands that write', () => {
  test('cp and rm; rm reports a missing model and removes the others', async () => {
    expect(await hearth('cp', 'ember', 'second')).toMatchObject({ code: 0, stdout: "copied 'ember' to 'second'\n" });
    expect(await names()).toContain('second:latest');
    expect(await hearth('rm', 'nothing', 'second')).toEqual({
      code: 1,
      stdout: "deleted 'second'\n",
      stderr: "Error: model 'nothing' not found: `hearth list` shows the installed models\n",
    });
    expect(await names()).not.toContain('second:latest');
  });

  test('create applies all commands of the Modelfile', async () => {
    const modelfile = [
      'FROM ember',
      'SYSTEM Talk like a pirate.',
      'TEMPLATE "{{ .System }}: {{ .Prompt }}"',
      'PARAMETER temperature 0.5',
      'PARAMETER stop one',
      'PARAMETER stop two',
      'PARAMETER f16_kv true',
      'LICENSE Mine.',
      'MESSAGE user Hi',
      'MESSAGE assistant Ahoy',
    ];
    writeFileSync(join(folder, 'Modelfile'), modelfile.join('\n'));
    const { code, stdout, stderr } = await hearth('create', 'pirate');
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/reading model metadata\n(?:.*\n)*writing manifest\nsuccess\n/);
    expect(stderr).toContain('Warning: parameter f16_kv is deprecated');
    const shown = JSON.parse((await hearth('show', 'pirate', '--json')).stdout) as ShowResponseBody;
    expect(shown).toMatchObject({
      system: 'Talk like a pirate.',
      template: '{{ .System }}: {{ .Prompt }}',
      license: expect.stringContaining('Mine.'),
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Ahoy' },
      ],
    });
    expect(shown.parameters?.split('\n').map((line) => line.replace(/\s+/, ' '))).toEqual(
      expect.arrayContaining(['temperature 0.5', 'stop "one"', 'stop "two"']),
    );
  });

  test('create uploads files and folders of FROM and ADAPTER once; the Modelfile can be piped', async () => {
    mkdirSync(join(folder, 'weights'));
    symlinkSync(repository('models/ember-q4_k_m.gguf'), join(folder, 'weights/ember.gguf'));
    symlinkSync(repository('models/ember-ahoy-lora-f16.gguf'), join(folder, 'ahoy.gguf'));
    const input = 'FROM ./weights\nADAPTER ahoy.gguf\n';
    const create = (name: string) => runHearth(['create', name, '-f', '-'], { url: server.url, cwd: folder, input });
    const first = await create('ahoy');
    expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('uploading ahoy.gguf 100%') });
    const second = await create('ahoy-again');
    expect(second.code).toBe(0);
    expect(second.stderr).not.toContain('uploading');
    expect((await hearth('show', 'ahoy', '--modelfile')).stdout).toMatch(/^FROM .*\nADAPTER /m);
  });

  test('create with a model and a file uses both', async () => {
    symlinkSync(repository('models/ember-eyes-mmproj-f16.gguf'), join(folder, 'projector.gguf'));
    writeFileSync(join(folder, 'Vision'), 'FROM ember\nFROM ./projector.gguf\nSYSTEM Look.\n');
    expect(await hearth('create', 'vision', '-f', 'Vision')).toMatchObject({ code: 0 });
    const shown = JSON.parse((await hearth('show', 'vision', '--json')).stdout) as ShowResponseBody;
    expect(shown.capabilities).toContain('vision');
    expect(shown.system).toBe('Look.');
  });

  test('the Modelfile printed by show recreates the model without an upload', async () => {
    writeFileSync(join(folder, 'Printed'), (await hearth('show', 'ember', '--modelfile')).stdout);
    const { code, stderr } = await hearth('create', 'printed', '-f', 'Printed');
    expect(code).toBe(0);
    expect(stderr).not.toMatch(/reading sha256|uploading/);
  });

  test('verify uses the server', async () => {
    expect(await hearth('verify')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+ ok/) });
  });
});

describe('errors are messages with a hint', () => {
  test.each<[string, string[], number, string]>([
    ['an unknown model', ['show', 'nix'], 1, "Error: model 'nix' not found: try `hearth pull nix`\n"],
    ['an unknown model to copy', ['cp', 'nix', 'x'], 1, "Error: model 'nix' not found: try `hearth pull nix`\n"],
    [
      'an unknown model to stop',
      ['stop', 'nix'],
      1,
      'Error: couldn\'t find model "nix" to stop: `hearth ps` lists the running models\n',
    ],
    ['an invalid name', ['cp', 'ember', 'a//b'], 1, 'Error: destination "a//b" is invalid\n'],
    [
      'a missing Modelfile',
      ['create', 'x', '-f', 'Missing'],
      1,
      'Error: cannot read the Modelfile Missing: no such file; use -f to specify another file\n',
    ],
    [
      'a push that does not say where',
      ['push', 'ember'],
      1,
      "Error: 'ember' does not say where to push: the name of a model in a registry is HOST/NAMESPACE/MODEL, or " +
        'NAMESPACE/MODEL for the default registry. Copy the model, and push the copy:\n' +
        '  hearth cp ember models.example:11435/team/ember\n  hearth push models.example:11435/team/ember\n',
    ],
    [
      'a Modelfile that is a folder',
      ['create', 'x', '-f', '.'],
      1,
      'Error: cannot read the Modelfile .: it is a folder; use -f to specify another file\n',
    ],
    [
      'an unknown command',
      ['lst'],
      2,
      "Error: unknown command 'lst'\n(Did you mean one of list, ls?)\nRun 'hearth help' for usage.\n",
    ],
    [
      'a missing argument',
      ['show'],
      2,
      "Error: missing required argument 'MODEL'\nRun 'hearth show --help' for usage.\n",
    ],
    ['an unknown flag', ['list', '--nope'], 2, "Error: unknown option '--nope'\nRun 'hearth list --help' for usage.\n"],
  ])('%s', async (_, words, code, stderr) => {
    expect(await hearth(...words)).toEqual({ code, stdout: '', stderr });
  });

  test('FROM with a missing source', async () => {
    // A missing model is pulled; the registry cannot be reached either.
    writeFileSync(join(folder, 'Broken'), 'FROM 127.0.0.1:9/team/nix\n');
    expect(await hearth('create', 'x', '-f', 'Broken')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Error: .*127\.0\.0\.1:9.*\n$/),
    });
    writeFileSync(join(folder, 'Broken'), 'FROM ./nix.gguf\n');
    expect((await hearth('create', 'x', '-f', 'Broken')).stderr).toBe(
      'Error: FROM ./nix.gguf: no such file, and no folder with GGUF or safetensors files\n',
    );
    writeFileSync(join(folder, 'Broken'), 'FORM ember\n');
    expect((await hearth('create', 'x', '-f', 'Broken')).stderr).toMatch(
      /^Error: \(line 1\): .*Did you mean FROM\?\n$/,
    );
  });

  test('no server', async () => {
    const stderr = `Error: no server at ${nowhere}: start one with \`hearth serve\`, or set HEARTH_HOST to its address\n`;
    for (const words of [['list'], ['show', 'ember'], ['pull', 'x'], ['rm', 'x']])
      expect(await runHearth(words, { url: nowhere })).toEqual({ code: 1, stdout: '', stderr });
  });

  test('an invalid address', async () => {
    const { code, stderr } = await runHearth(['list'], { url: 'a:b' });
    expect([code, stderr]).toEqual([1, expect.stringContaining('HEARTH_HOST is "a:b", but must be an address')]);
  });

  test('only --debug shows the stack trace', async () => {
    expect((await hearth('show', 'nix')).stderr).not.toContain('    at ');
    expect((await hearth('show', 'nix', '--debug')).stderr).toMatch(/^Error: model 'nix'.*\n(?:.*\n)*? {4}at /);
  });
});

test('a closed pipe ends the command without an error', () => {
  const command = `'${process.execPath}' '${hearthScript}' show ember --json --verbose | head -c 10`;
  const output = execFileSync('sh', ['-c', `(${command}) 2>&1`], {
    encoding: 'utf8',
    env: commandEnvironment({ url: server.url }),
  });
  expect(output).toBe('{\n  "licen');
});

test('without a command, the help is printed', async () => {
  const { stdout } = await hearth('--help');
  expect(stdout).toMatch(/^ {2}serve\b/m);
  expect((await hearth()).stdout).toBe(stdout);
  expect((await hearth('pull', '--help')).stdout).toMatch(/Examples:\n {2}\S/);
});
