// `hearth doctor` on this machine: healthy, and with one thing after the other broken.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hearthScript } from '../../support/command.ts';
import { freePort } from '../../support/free-port.ts';
import { startServer, type TestServer } from '../../support/server.ts';

interface Line {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'problem';
  readonly message: string;
  readonly next_step?: string;
}

const home = mkdtempSync(join(tmpdir(), 'hearth-doctor-'));
const registry = createHttpServer((_, response) => void response.writeHead(401).end());
let hearth: TestServer;
beforeAll(async () => {
  hearth = await startServer();
  await listen(registry);
});
afterAll(async () => {
  await hearth.stop();
  registry.close();
  rmSync(home, { recursive: true });
});

async function listen(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return addressOf(server);
}

function addressOf(server: Server): string {
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly words?: readonly string[];
}

async function runDoctor({ environment = {}, words = ['--json'] }: RunOptions = {}) {
  const child = spawn(process.execPath, [hearthScript, 'doctor', ...words], {
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      HEARTH_HOST: `127.0.0.1:${await freePort()}`,
      HEARTH_REGISTRY: `http://${addressOf(registry)}`,
      ...environment,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

function linesIn(output: string): Line[] {
  return (JSON.parse(output) as { readonly checks: readonly Line[] }).checks.slice();
}

const problemsIn = (output: string): Line[] => linesIn(output).filter(({ status }) => status === 'problem');

test('a machine without a server and without models has no problem, and nothing is created', async () => {
  const { code, output } = await runDoctor();
  expect([code, problemsIn(output)]).toEqual([0, []]);
  const all = linesIn(output);
  expect([...new Set(all.map(({ check }) => check))]).toEqual([
    'node',
    'settings',
    'memory',
    'limits',
    'sandbox',
    'disk',
    'permissions',
    'store',
    'access',
    'tls',
    'engine',
    'devices',
    'port',
    'proxies',
    'registry',
    'clock',
  ]);
  const messageOf = (name: string): string => all.find(({ check }) => check === name)?.message ?? '';
  expect(messageOf('engine')).toMatch(/^llama\.cpp loads \(@node-llama-cpp\/.*@\d/);
  expect(messageOf('port')).toContain('is free; no server is running');
  expect(messageOf('store')).toContain('no models yet');
  expect(messageOf('registry')).toContain('answers');
  expect(messageOf('clock')).toContain('as the registry says');
  expect(readdirSync(home)).toEqual([]);
});

test('a running server is found, and its store is complete', async () => {
  const { code, output } = await runDoctor({
    environment: { HEARTH_HOST: hearth.url, HEARTH_MODELS: hearth.store },
    words: [],
  });
  expect(code).toBe(0);
  expect(output).toMatch(/^ok {7}port {9}Hearth \S+ answers at http:\/\/127\.0\.0\.1:\d+$/m);
  expect(output).toMatch(/^ok {7}store {8}\d+ models, all files are there/m);
  expect(output).toMatch(/^No problems, .* warnings?\.$/m);
});

test('a store that is not writable is a problem; Ollama at the address and no network are warnings', async () => {
  const ollama = createHttpServer((_, response) => void response.end('{"version":"0.14.0"}'));
  const parent = mkdtempSync(join(tmpdir(), 'hearth-read-only-'));
  chmodSync(parent, 0o555);
  // Permissions do not stop root, but nobody can create files in /proc.
  const store = process.getuid?.() === 0 ? '/proc/hearth/models' : join(parent, 'models');
  const environment = {
    HEARTH_MODELS: store,
    HEARTH_HOST: await listen(ollama),
    HEARTH_REGISTRY: `http://127.0.0.1:${await freePort()}`,
  };
  const { code, output } = await runDoctor({ environment });
  ollama.close();
  rmSync(parent, { recursive: true });
  expect(code).toBe(1);
  expect(problemsIn(output)).toMatchObject([
    { check: 'permissions', message: expect.stringContaining(`store ${store} is not writable: no `) },
  ]);
  const warnings = linesIn(output).filter(({ status }) => status === 'warning');
  expect(warnings.map(({ message }) => message)).toEqual(
    expect.arrayContaining([
      expect.stringContaining('Ollama 0.14.0 answers at'),
      expect.stringMatching(/^127\.0\.0\.1:\d+ cannot be reached: connection refused$/),
    ]),
  );
});

// The next two wait for time limits.
test.concurrent('a damaged manifest, a missing blob and a program at the address that never answers are problems', async () => {
  const silent = createServer(() => {});
  const store = join(home, 'damaged');
  const folder = join(store, 'manifests/registry.ollama.ai/library/broken');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'latest'), '{');
  const digest = `sha256:${'0'.repeat(64)}`;
  const layer = { mediaType: 'application/vnd.ollama.image.model', digest, size: 1 };
  writeFileSync(join(folder, 'empty'), JSON.stringify({ schemaVersion: 2, config: layer, layers: [layer] }));
  const { code, output } = await runDoctor({
    environment: { HEARTH_MODELS: store, HEARTH_HOST: await listen(silent) },
  });
  silent.close();
  expect(code).toBe(1);
  expect(problemsIn(output)).toEqual([
    {
      check: 'store',
      status: 'problem',
      message: expect.stringContaining('~/damaged/manifests/registry.ollama.ai/library/broken/latest cannot be used'),
      next_step: expect.stringContaining('pull'),
    },
    expect.objectContaining({ check: 'store', message: 'broken:empty: a file of the model is missing' }),
    expect.objectContaining({
      check: 'port',
      message: expect.stringMatching(/another program answers at .* not answer/),
    }),
  ]);
});

test
  .skipIf(process.platform === 'win32')
  .concurrent('a file that never answers is one problem, and the command ends', async () => {
    const [pipe, empty] = [join(home, 'pipe'), join(home, 'empty')];
    execFileSync('mkfifo', [pipe]);
    writeFileSync(empty, '');
    const environment = { HEARTH_TLS_CERT: empty, HEARTH_TLS_KEY: empty, HEARTH_TLS_CLIENT_CA: pipe };
    const { code, output } = await runDoctor({ environment });
    expect(code).toBe(1);
    expect(problemsIn(output)).toMatchObject([{ check: 'tls', message: 'the check did not end within 10 seconds' }]);
    expect(linesIn(output).at(-1)).toMatchObject({ check: 'clock', status: 'ok' });
  });

test('the output has no secrets and no home folder, whatever is broken', async () => {
  const secretHome = mkdtempSync(join(tmpdir(), 'hearth-private-home-'));
  const state = join(secretHome, '.hearth');
  mkdirSync(join(state, 'tls'), { recursive: true });
  const secrets = Array.from({ length: 9 }, (_, index) => `secret${index}x${'7'.repeat(8)}`);
  const [apiKey, token, httpPassword, httpsPassword, registryPassword, ...inFiles] = secrets;
  for (const [index, name] of ['credentials', 'keys.json', 'id_ed25519', 'tls/server-key.pem'].entries())
    writeFileSync(join(state, name), `key = "${inFiles[index]}`, { mode: 0o644 });
  const proxy = `127.0.0.1:${await freePort()}`;
  writeFileSync(
    join(state, 'config.toml'),
    `registry_credentials = "r.example=robert:${registryPassword}"\nhttps_proxy = "http://robert:${httpsPassword}@${proxy}"\n`,
  );
  const environment = {
    HOME: secretHome,
    HEARTH_API_KEY: `${apiKey}`,
    OPENAI_API_KEY: `${token}`,
    HTTP_PROXY: `http://robert:${httpPassword}@${proxy}`,
    HEARTH_KEYS_FILE: join(state, 'keys.json'),
    HEARTH_TLS_CERT: join(state, 'tls/server-key.pem'),
    HEARTH_TLS_KEY: join(state, 'tls/server-key.pem'),
    HEARTH_MODELS: join(secretHome, 'models'),
    HEARTH_REGISTRY: 'registry.invalid',
    // A value in the wrong place is quoted in the error.
    HEARTH_KEEP_ALIVE: `hearth_${token}_${token}`,
    OLLAMA_MAX_QUEUE: `http://robert:${httpPassword}@queue.example`,
    HEARTH_MAX_QUEUE: `http://robert:${registryPassword}@queue.example`,
  };
  for (const words of [['--json'], []]) {
    const { code, output } = await runDoctor({ environment, words });
    expect(code).toBe(1);
    expect(output).toContain('HEARTH_KEEP_ALIVE is');
    expect(output).toContain('run `chmod 600 ~/.hearth/credentials`');
    expect(output).toContain('the file of keys ~/.hearth/keys.json cannot be used');
    for (const secret of [...secrets, secretHome]) expect(output).not.toContain(secret);
    expect(output).not.toContain('robert');
  }
  rmSync(secretHome, { recursive: true });
});
