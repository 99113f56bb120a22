// `hearth run` with a prompt: with pipes and in a terminal.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hearthScript } from '../../support/command.ts';
import { createHome, createSteadyEmber, type Home } from '../../support/home.ts';
import { colors, drawPng } from '../../support/models/draw.ts';
import { addEndlessModel, addModel } from '../../support/models/endless-ember.ts';
import { randomBertWeights, writeBert } from '../../support/models/tiny-bert.ts';
import { startRegistry } from '../../support/registry/team-registry.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import { hasTmux } from '../../support/terminal.ts';

describe('with a server', () => {
  let server: TestServer;
  let home: Home;
  beforeAll(async () => {
    server = await startServer();
    await createSteadyEmber(server.url);
    await addEndlessModel(server.store, 'endless');
    home = createHome(server.url);
    const bert = join(home.folder, 'bert.gguf');
    writeBert(bert, randomBertWeights(1), 'mean');
    await addModel(server.store, 'bert', readFileSync(bert));
  });
  afterAll(async () => {
    home.remove();
    await server.stop();
  });

  test('only the answer is printed, unchanged, to standard output', async () => {
    const { code, stdout, stderr } = await home.pipe(['run', 'steady', 'What', 'is', 'the capital of France?']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/Paris.*\n$/);
    expect(stdout).not.toContain('\u001b');
    expect(stdout.trim()).not.toContain('\n');
  });

  test('piped input is placed before the prompt, or is the prompt', async () => {
    expect((await home.pipe(['run', 'steady'], 'What is the capital of France?\n')).stdout).toMatch(/Paris/);
    expect((await home.pipe(['run', 'steady', 'capital of France?'], 'What is the')).stdout).toMatch(/Paris/);
  });

  test('without a prompt and piped input, the model is only loaded', async () => {
    expect(await home.pipe(['run', 'steady', '--keepalive', '10m'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect((await home.pipe(['ps'])).stdout).toMatch(/steady.*(9|10) minutes from now/);
  });

  test('--verbose prints timing statistics to standard error', async () => {
    const { stdout, stderr } = await home.pipe(['run', 'steady', '--verbose', 'Hi']);
    expect(stdout).not.toContain('duration');
    expect(stderr).toMatch(/^total duration: {7}\S+s$/m);
    expect(stderr).toMatch(/^prompt eval count: {4}\d+ token\(s\)$/m);
    expect(stderr).toMatch(/^eval rate: {12}[\d.]+ tokens\/s$/m);
  });

  test('--format accepts json and a schema file', async () => {
    const prompt = 'A person as JSON.';
    expect(JSON.parse((await home.pipe(['run', 'steady', '--format', 'json', prompt])).stdout)).toBeTypeOf('object');
    const schema = {
      type: 'object',
      properties: { age: { type: 'integer' } },
      required: ['age'],
      additionalProperties: false,
    };
    writeFileSync(join(home.folder, 'schema.json'), JSON.stringify(schema));
    const { stdout } = await home.pipe(['run', 'steady', '--format', 'schema.json', prompt]);
    expect(JSON.parse(stdout)).toEqual({ age: expect.any(Number) });
    const missing = await home.pipe(['run', 'steady', '--format', 'none.json', prompt]);
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('no such file') });
  });

  test('--think does not consume the first word of the prompt', async () => {
    const { code, stdout } = await home.pipe(['run', 'steady', '--think=false', '--hidethinking', 'What is 2 + 2?']);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('4') });
    const rejected = await home.pipe(['run', 'steady', '--think=hard', 'Hi']);
    expect(rejected).toMatchObject({ code: 1, stderr: expect.stringContaining('--think is "hard"') });
    expect((await home.pipe(['run', '--truncate', 'steady', 'What is 2 + 2?'])).stdout).toContain('4');
  });

  test('a vision model receives the image named in the prompt', async () => {
    writeFileSync(join(home.folder, 'square.png'), drawPng({ shape: 'square', color: colors.blue }));
    const { stdout, stderr } = await home.pipe(['run', 'ember-eyes', 'What is this? square.png']);
    expect(stderr).toContain("Added image 'square.png'");
    expect(stdout).toMatch(/blue|square/i);
  });

  test('an embedding model prints a vector', async () => {
    const { code, stdout } = await home.pipe(['run', 'bert', 'the cat sits']);
    expect(code).toBe(0);
    const vector = JSON.parse(stdout) as number[];
    expect(vector).toHaveLength(32);
    expect(Math.hypot(...vector)).toBeCloseTo(1, 4);
    const short = await home.pipe(['run', 'bert', '--dimensions', '8', 'the cat sits']);
    expect(JSON.parse(short.stdout)).toHaveLength(8);
    const long = await home.pipe(['run', 'bert', '--truncate=false'], 'the cat '.repeat(100));
    expect(long).toMatchObject({ code: 1, stderr: expect.stringContaining('Error: ') });
    expect(await home.pipe(['run', 'bert'])).toMatchObject({ code: 1, stderr: expect.stringContaining('some text') });
  });

  test('a missing model is pulled first, with progress on standard error', async () => {
    const registry = await startRegistry();
    try {
      const name = `${registry.host}/team/steady`;
      // The push is signed with the key of the server.
      const key = await home.pipe(['key']);
      registry.register(key.stdout.trim());
      await home.pipe(['cp', 'steady', name]);
      const push = await home.pipe(['push', name, '--insecure']);
      expect(push).toMatchObject({ code: 0 });
      await home.pipe(['rm', name]);
      const { code, stdout, stderr } = await home.pipe(['run', name, '--insecure', 'What is the capital of France?']);
      expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('Paris') });
      expect(stderr).toMatch(/^pulling manifest\n(?:.*\n)*success\n$/);
    } finally {
      await registry.stop();
    }
  });

  test.each([
    ['--think', ['run', 'ember', '--think', 'Hi'], "'ember' cannot think: leave out --think"],
    ['an image', ['run', 'ember', 'What is ./shape.png?'], "'ember' cannot see the image './shape.png': use a model"],
  ])('%s for a model without that ability is an error with the next step', async (_, words, message) => {
    writeFileSync(join(home.folder, 'shape.png'), drawPng({ shape: 'circle', color: colors.red }));
    const { code, stdout, stderr } = await home.pipe(words);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`Error: ${message}`);
  });

  test('a mistyped name is recognized before a registry is asked, and no name is a choice', async () => {
    expect(await home.pipe(['run', 'embr', 'Hi'])).toEqual({
      code: 1,
      stdout: '',
      stderr: "Error: model 'embr' not found. Did you mean 'ember'? If not, run `hearth pull embr` first\n",
    });
    const { code, stderr } = await home.pipe(['run']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Error: no model is named, .*: `hearth run MODEL`\. Installed: .*\bember\b/);
  });

  test('a model that cannot be pulled is an error', async () => {
    const { code, stdout, stderr } = await home.pipe(['run', '127.0.0.1:9/none/none', '--insecure', 'Hi']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/Error: .+/);
  });

  test('a closed pipe ends the command without output', async () => {
    const { HEARTH_HOST, ...environment } = { HEARTH_HOST: server.url, PATH: process.env['PATH'], HOME: home.folder };
    const line = `'${process.execPath}' '${hearthScript}' run endless 'Once upon' | head -c 20; echo "\${PIPESTATUS[0]}"`;
    const child = spawn('bash', ['-c', line], {
      env: { ...environment, HEARTH_HOST },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    await once(child, 'close');
    expect({ code: out.slice(20).trim(), err }).toEqual({ code: '0', err: '' });
  });

  test('Ctrl-C during the answer exits with code 130', async () => {
    const env = { PATH: process.env['PATH'], HOME: home.folder, HEARTH_HOST: server.url };
    const child = spawn(process.execPath, [hearthScript, 'run', 'endless', 'Once upon'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    child.kill('SIGINT');
    const [code] = await once(child, 'close');
    expect(code).toBe(130);
  });

  describe.skipIf(!hasTmux)('in a terminal', () => {
    test.each([30, 60])('the answer is wrapped between words at %d columns', async (columns) => {
      const { stdout } = await home.pipe(['run', 'steady', 'Tell me a story.']);
      const terminal = home.open(['run', 'steady', 'Tell me a story.'], { columns, rows: 50 });
      expect(await terminal.exitCode()).toBe(0);
      const lines = terminal.screen().split('\n');
      expect(lines.join(' ').replace(/ +/g, ' ')).toBe(stdout.trim().replace(/\s+/g, ' '));
      // A line is full if the next word would not have fitted.
      for (const [index, line] of lines.slice(0, -1).entries()) {
        const [next = ''] = lines[index + 1]?.split(' ') ?? [];
        expect(line.length).toBeLessThan(columns);
        if (line !== '' && next !== '') expect(`${line} ${next}`.length).toBeGreaterThanOrEqual(columns);
      }
    });

    test('Ctrl-C exits with code 130', async () => {
      const terminal = home.open(['run', 'endless', 'Once upon']);
      // Some answers are code, with few words in a line.
      await terminal.waitFor(/\w\w/);
      terminal.press('C-c');
      expect(await terminal.exitCode()).toBe(130);
    });
  });
});
