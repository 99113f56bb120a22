// Ollama's own command as the client: its subcommands, and its interactive mode.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSteadyEmber } from '../support/home.ts';
import { repository } from '../support/repository.ts';
import { hasTmux, openTerminal } from '../support/terminal.ts';
import { ollamaCommand, ollamaVersions, runProgram } from './run-program.ts';
import { type Services, startServices } from './start-services.ts';

let services: Services;
let home: string;
beforeAll(async () => {
  services = await startServices();
  home = mkdtempSync(join(tmpdir(), 'hearth-interop-'));
  await createSteadyEmber(services.server.url);
});
afterAll(async () => {
  await services.stop();
  rmSync(home, { recursive: true, force: true });
});

const sky = 'Why is the sky blue?';

describe.each(ollamaVersions)('ollama %s', (version) => {
  const environment = () => ({ HOME: home, OLLAMA_HOST: services.server.url });
  const start = (words: readonly string[], input = '') =>
    runProgram(ollamaCommand(version), words, { cwd: home, environment: environment(), input });
  /** The output of a command that must succeed. */
  const ollama = async (words: readonly string[], input?: string): Promise<string> => {
    const { code, stdout, stderr } = await start(words, input);
    expect([words, code, code === 0 ? '' : stderr]).toEqual([words, 0, '']);
    return stdout;
  };

  test('list and --version', async () => {
    expect(await ollama(['list'])).toMatch(
      /^NAME\s+ID\s+SIZE\s+MODIFIED\s*\n[\s\S]*ember:latest\s+[0-9a-f]{12}\s+\d+ MB/,
    );
    expect(await ollama(['--version'])).toMatch(/version is \d+\.\d+/);
  });

  test('show, with its flags', async () => {
    const shown = await ollama(['show', 'steady']);
    for (const part of ['architecture', 'parameters', 'quantization', 'Capabilities', 'completion', 'num_predict'])
      expect(shown).toContain(part);
    expect(await ollama(['show', '--modelfile', 'steady'])).toContain('PARAMETER seed 1');
    expect(await ollama(['show', '--parameters', 'steady'])).toMatch(/^seed\s+1$/m);
    expect(await ollama(['show', '--template', 'steady'])).toContain('<|im_start|>');
    expect(await ollama(['show', '--license', 'steady'])).toContain('MIT');
    expect(await ollama(['show', '--verbose', 'steady'])).toContain('blk.0');
  });

  test('run with a prompt, with standard input, with a format, with statistics', async () => {
    expect(await ollama(['run', 'steady', sky])).toMatch(/scatter/);
    expect(await ollama(['run', 'steady'], sky)).toMatch(/scatter/);
    const json = await ollama(['run', '--format', 'json', 'steady', 'Reply in JSON with keys name and age for Anna.']);
    expect(JSON.parse(json)).toHaveProperty('name');
    const { code, stderr } = await start(['run', '--verbose', '--keepalive', '1m', 'steady', sky]);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/eval rate:\s+[\d.]+ tokens\/s/)]);
  });

  test('run with thinking', async () => {
    const shown = await ollama(['run', '--think', 'ember-thinks', 'What is 12 + 30?']);
    expect(shown).toMatch(/Thinking\.\.\.[\s\S]*done thinking[\s\S]*42/);
    const hidden = await ollama(['run', '--think', '--hidethinking', 'ember-thinks', 'What is 12 + 30?']);
    expect(hidden).toContain('42');
    expect(hidden).not.toContain('thinking');
  });

  test('ps and stop', async () => {
    // Models with the same weights and load options share a runner. This one has a context length of its own.
    writeFileSync(join(home, 'alone'), 'FROM ember\nPARAMETER num_ctx 512\n');
    await ollama(['create', 'alone', '-f', join(home, 'alone')]);
    await ollama(['run', 'alone', 'Hello!']);
    expect(await ollama(['ps'])).toMatch(/^alone:latest\s+[0-9a-f]{12}\s+\d+ MB\s+\d+% /m);
    await ollama(['stop', 'alone']);
    expect(await ollama(['ps'])).not.toContain('alone');
  });

  test('create from a Modelfile with a model and with a file, and show --system', async () => {
    writeFileSync(
      join(home, 'Modelfile'),
      'FROM ember\nSYSTEM You are a pirate named Bill.\nPARAMETER temperature 0\n',
    );
    await ollama(['create', 'bill']);
    expect(await ollama(['show', '--system', 'bill'])).toContain('pirate named Bill');
    expect(await ollama(['run', 'bill', 'Who are you?'])).toContain('Bill');
    writeFileSync(join(home, 'from-file'), `FROM ${repository('models/ember-q4_k_m.gguf')}\n`);
    await ollama(['create', 'from-file', '-f', join(home, 'from-file')]);
    expect(await ollama(['list'])).toContain('from-file:latest');
  });

  test('cp and rm', async () => {
    await ollama(['cp', 'ember', 'copied']);
    expect(await ollama(['list'])).toContain('copied:latest');
    await ollama(['rm', 'copied']);
    expect(await ollama(['list'])).not.toContain('copied:latest');
  });

  test('push and pull', async () => {
    const name = `${services.registry.host}/team/steady`;
    await ollama(['cp', 'steady', name]);
    await ollama(['push', '--insecure', name]);
    await ollama(['rm', name]);
    await ollama(['pull', '--insecure', name]);
    expect(await ollama(['list'])).toContain(name);
    await ollama(['rm', name]);
  });

  test('an unknown model is an error with a message', async () => {
    for (const words of [
      ['show', 'nobody'],
      ['rm', 'nobody'],
      ['cp', 'nobody', 'x'],
    ]) {
      const { code, stderr } = await start(words);
      expect([words, code, stderr]).toEqual([words, 1, expect.stringMatching(/not found/)]);
    }
  });

  test.skipIf(!hasTmux)('the interactive mode', async () => {
    const terminal = openTerminal({
      command: [ollamaCommand(version), 'run', 'steady'],
      cwd: home,
      columns: 100,
      rows: 200,
      environment: environment(),
    });
    try {
      await terminal.waitFor('Send a message');
      for (const [line, expected] of [
        ['/show info', /quantization/],
        ['/show modelfile', /PARAMETER num_predict 60/],
        ['/show parameters', /num_predict\s+60/],
        ['/set parameter seed 7', /Set parameter 'seed' to '7'/],
        [sky, /scatter/],
        ['/set system You are Ann.', /Set system message/],
        ['/save saved', /Created new model 'saved'/],
        ['/load ember', /Loading model 'ember'/],
      ] as const) {
        terminal.type(line);
        terminal.press('Enter');
        await terminal.waitFor(expected, 60_000);
        await terminal.waitFor('Send a message', 60_000);
        terminal.press('C-l');
      }
      terminal.type('/bye');
      terminal.press('Enter');
      expect(await terminal.exitCode()).toBe(0);
    } finally {
      terminal.close();
    }
    const saved = await ollama(['show', '--modelfile', 'saved']);
    expect(saved).toContain('SYSTEM You are Ann.');
    expect(saved).toContain('PARAMETER seed 7');
  });
});
