// Start and stop of the server.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { ask, beginAnswer, generate, post } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';
import { addEndlessModel } from '../support/models/endless-ember.ts';
import { childrenOf, isAlive, pause } from '../support/processes.ts';
import { startServer, type TestServer, type TestServerOptions } from '../support/server.ts';
import { thoroughly } from '../support/thorough.ts';

const servers: TestServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

// Loads take less time than with eight slots of 4,096 tokens.
const smallContext = { HEARTH_NUM_PARALLEL: '1', HEARTH_CONTEXT_LENGTH: '512' };

async function start({ environment, ...options }: TestServerOptions = {}): Promise<TestServer> {
  const server = await startServer({ ...options, environment: { ...smallContext, ...environment } });
  servers.push(server);
  return server;
}

const missing = (process.env['HEARTH_TEST_MISSING'] ?? '').split(',');

describe('starting', () => {
  test.skipIf(missing.includes('curl'))('the printed curl command works', async () => {
    const server = await start();
    const line = /^ {2}(curl .*)$/m.exec(server.stdout())?.[1] as string;
    const output = execFileSync('sh', ['-c', `${line} 2>/dev/null`], { encoding: 'utf8' });
    const answer = output
      .trim()
      .split('\n')
      .map((object) => JSON.parse(object).response)
      .join('');
    expect(answer).toMatch(/scatter/i);
  });

  test('Ember is available on the first start without a network, and is not restored after deletion', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hearth-first-'));
    try {
      const host = `127.0.0.1:${await freePort()}`;
      const starting = start({ store: folder, environment: { HEARTH_HOST: host } });
      const isListening = () =>
        fetch(`http://${host}/api/version`).then(
          ({ ok }) => ok,
          () => false,
        );
      while (!(await isListening())) await pause(5);
      // The models are being installed, and the request waits for them.
      const tags = (await (await fetch(`http://${host}/api/tags`)).json()) as { models: { name: string }[] };
      const first = await starting;
      expect(tags.models.map(({ name }) => name).sort()).toEqual([
        'ember-eyes:latest',
        'ember-thinks:latest',
        'ember:latest',
      ]);
      await first.stop();
      rmSync(join(first.store, 'manifests/registry.ollama.ai/library/ember'), { recursive: true });
      const second = await start({ store: folder });
      const left = (await (await fetch(`${second.url}/api/tags`)).json()) as typeof tags;
      expect(left.models.map(({ name }) => name).sort()).toEqual(['ember-eyes:latest', 'ember-thinks:latest']);
    } finally {
      await Promise.all(servers.splice(0).map((server) => server.stop()));
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('an existing store of Ollama works, through its own variable', async () => {
    const source = await start();
    const folder = mkdtempSync(join(tmpdir(), 'hearth-other-'));
    // Ollama leaves no other files.
    for (const part of ['blobs', 'manifests'])
      cpSync(join(source.store, part), join(folder, part), { recursive: true });
    try {
      const server = await start({ environment: { HEARTH_MODELS: '', OLLAMA_MODELS: folder } });
      expect(await ask(server.url, 'What is 2 + 2?', { temperature: 0 })).toContain('4');
    } finally {
      await Promise.all(servers.splice(0).map((server) => server.stop()));
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test.each([
    ['an invalid value', { HEARTH_KEEP_ALIVE: 'soon' }, 'HEARTH_KEEP_ALIVE is "soon", but must be a duration'],
    ['an invalid address', { HEARTH_HOST: 'a:b' }, 'HEARTH_HOST is "a:b", but must be an address'],
  ])('%s is refused with a message', async (_, environment, message) => {
    await expect(startServer({ environment: { HEARTH_HOST: '', ...environment } })).rejects.toThrow(
      `Error: ${message}`,
    );
  });

  test('an invalid value of an OLLAMA_ variable is reported and ignored', async () => {
    const server = await start({ environment: { HEARTH_NUM_PARALLEL: '', OLLAMA_NUM_PARALLEL: 'two' } });
    expect(server.log()).toContain('Warning: OLLAMA_NUM_PARALLEL is "two" and is ignored');
  });

  test('an address in use is reported, with advice', async () => {
    const first = await start();
    const host = first.url.replace('http://', '');
    await expect(startServer({ environment: { HEARTH_HOST: host } })).rejects.toThrow(`${host} is in use`);
  });

  test('the environment overrides the config file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hearth-flags-'));
    writeFileSync(join(folder, 'config.toml'), 'max_body = "1GB"\n');
    const server = await start({ environment: { HEARTH_MAX_BODY: '10', HEARTH_CONFIG: join(folder, 'config.toml') } });
    expect((await post(server.url, '/api/generate', { model: 'ember' })).status).toBe(413);
    rmSync(folder, { recursive: true });
  });
});

describe('stopping', () => {
  test('SIGINT: exit code 0, and no runner remains', async () => {
    const server = await start();
    await ask(server.url, 'Hi', { num_predict: 1 });
    const runners = server.runners();
    expect(runners).toHaveLength(1);
    server.signal('SIGINT');
    expect(await server.exit).toBe(0);
    expect(runners.filter(isAlive)).toEqual([]);
  });

  test('SIGTERM: a running answer finishes, exit code 0, and no runner remains', async () => {
    // No deadline: the machine may be slow.
    const server = await start({ environment: { HEARTH_SHUTDOWN_GRACE: '60s' } });
    await ask(server.url, 'Hi', { num_predict: 1 });
    const rest = await beginAnswer(server.url, { prompt: 'Tell me a story.', options: { seed: 1, num_predict: 80 } });
    const runners = server.runners();
    expect(runners).toHaveLength(1);
    server.signal('SIGTERM');
    expect((await rest()).at(-1)).toMatchObject({ done: true });
    expect(await server.exit).toBe(0);
    expect(runners.filter(isAlive)).toEqual([]);
  });

  test('after a timeout it is aborted with an error line', async () => {
    const server = await start({ environment: { HEARTH_SHUTDOWN_GRACE: '500ms' } });
    await addEndlessModel(server.store, 'endless');
    const body = { model: 'endless', prompt: 'Once', raw: true };
    await generate(server.url, { ...body, options: { num_predict: 1 } });
    const rest = await beginAnswer(server.url, { ...body, options: { temperature: 1, num_predict: 9000 } });
    server.signal('SIGTERM');
    expect((await rest()).at(-1)).toEqual({ error: 'the model was unloaded', code: 'shutting_down' });
    expect(await server.exit).toBe(0);
  });

  test('runners of a killed server end', async () => {
    const server = await start();
    await ask(server.url, 'Hi', { num_predict: 1 });
    const runners = server.runners();
    server.signal('SIGKILL');
    await server.exit;
    await expect.poll(() => runners.filter(isAlive)).toEqual([]);
  });

  // The kernel ends them on Linux. A stopped process cannot do it by itself.
  test.skipIf(process.platform !== 'linux')('a stopped runner of a killed server ends, too', async () => {
    const server = await start();
    await ask(server.url, 'Hi', { num_predict: 1 });
    const runners = server.runners();
    for (const runner of runners) process.kill(runner, 'SIGSTOP');
    server.signal('SIGKILL');
    await server.exit;
    await expect.poll(() => runners.filter(isAlive)).toEqual([]);
  });

  const kills = thoroughly(20, 3);
  test(`no process stays after ${kills} kills of a server at any time of a load or a prompt`, async () => {
    for (let kill = 0; kill < kills; kill++) {
      const server = await start();
      const request = generate(server.url, { prompt: 'a long story '.repeat(800), options: { num_ctx: 4096 } });
      request.catch(() => {});
      await expect.poll(() => childrenOf(server.pid)).not.toEqual([]);
      await pause(Math.random() * 1500);
      const children = childrenOf(server.pid);
      server.signal('SIGKILL');
      await server.exit;
      await expect.poll(() => children.filter(isAlive)).toEqual([]);
    }
  });
});

describe('memory', () => {
  test('is freed when a model is unloaded: the runner ends, and the server has not grown', async () => {
    const server = await start();
    const resident = (): number =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1024;
    const cycle = async (): Promise<void> => {
      await ask(server.url, 'What is 2 + 2?', { num_predict: 5 });
      await post(server.url, '/api/generate', { model: 'ember', keep_alive: 0 });
      await expect.poll(() => server.runners()).toEqual([]);
    };
    for (let turn = 0; turn < 3; turn++) await cycle();
    const before = resident();
    for (let turn = 0; turn < thoroughly(10, 4); turn++) await cycle();
    expect(resident() - before).toBeLessThan(30);
  });
});
