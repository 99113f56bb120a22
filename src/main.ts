// The command `hearth`. The server is imported only by the commands that need it, so that the others start quickly.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readApiKey } from './base/config/api-key.ts';
import { toClientTls } from './base/config/client-tls.ts';
import { processEnvironment as environment, loadSetting, loadSettings } from './base/config/load-settings.ts';
import { isLoopbackUrl, toServerUrl } from './base/config/server-url.ts';
import type { SettingKey, Settings } from './base/config/settings.ts';
import { readTerminalEnvironment } from './base/config/terminal-environment.ts';
import { createDeferred } from './base/deferred.ts';
import { systemClock } from './base/time/clock.ts';
import { exitCodes } from './cli/command.ts';
import { type CliPorts, createCommandTable } from './cli/command-table.ts';
import { diagnoseCommandName } from './cli/doctor/diagnose-command.ts';
import { runCli } from './cli/run-cli.ts';
import { createTerminal } from './cli/terminal.ts';
import { features } from './features/features.ts';

const packageFolder = dirname(import.meta.dirname);
const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as {
  readonly version: string;
};
const started = createDeferred<void>();
/** Resolves when this process has become a server. */
export const serving = started.promise;

const terminal = createTerminal({
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  ...readTerminalEnvironment(environment),
  onClosed: () => process.exit(exitCodes.success),
});
process.on('exit', () => terminal.restore());
const print = (text: string): void => terminal.stdout.write(`${text}\n`);
const onWarning = (message: string): void => terminal.stderr.write(`Warning: ${message}\n`);

function serverUrl(): string {
  return toServerUrl(load('host'), { servesTls: servesTls() });
}

function backendOptions() {
  return { folder: load('backends'), environment };
}

const load = <Key extends SettingKey>(key: Key): Settings[Key] =>
  loadSetting(key, { environment, onWarning, flags: {} });
const servesTls = (): boolean => load('tlsCert') !== '';

async function createTlsContext() {
  const { createClientContext } = await import('./base/tls/client-context.ts');
  return createClientContext(clientTls(), { showsCertificate: true });
}

function clientTls() {
  return toClientTls({ tlsCa: load('tlsCa'), tlsCert: load('tlsCert'), tlsKey: load('tlsKey') });
}

const ports: CliPorts = {
  async serve({ flags, configFile }) {
    const settings = loadSettings({
      environment,
      flags,
      onWarning,
      ...(configFile === undefined ? {} : { configFile }),
    });
    const { serve } = await import('./cli/local/serve.ts');
    await serve({ settings, version, packageFolder, print });
    started.resolve();
  },
  async *verifyStore({ models, repair }) {
    const folder = loadSetting('models', { environment, onWarning, flags: models === undefined ? {} : { models } });
    const { verifyFolder } = await import('./cli/local/verify-folder.ts');
    yield* verifyFolder(folder, repair);
  },
  async serveRegistry(flags) {
    const { runRegistry } = await import('./cli/local/run-registry.ts');
    await runRegistry(flags, print);
  },
  async localKeys() {
    if (!isLoopbackUrl(serverUrl())) return undefined;
    const { createLocalKeys } = await import('./cli/local/local-keys.ts');
    return createLocalKeys(loadSetting('keysFile', { environment, onWarning, flags: {} }));
  },
  backends: {
    async *add(family, signal) {
      const { addBackend } = await import('./cli/local/backends.ts');
      yield* addBackend(family, backendOptions(), signal);
    },
    async list() {
      const { listBackends } = await import('./cli/local/backends.ts');
      return listBackends(backendOptions());
    },
    async remove(name) {
      const { removeInstalled } = await import('./cli/local/backends.ts');
      return removeInstalled(name, backendOptions());
    },
  },
  certificates: {
    async create(request) {
      const { createCertificate } = await import('./cli/local/certificates/create-certificate.ts');
      return createCertificate(request);
    },
    async show() {
      const { showCertificate } = await import('./cli/local/certificates/create-certificate.ts');
      return showCertificate();
    },
  },
  doctor: {
    async *supervise(signal) {
      const { superviseChecks } = await import('./cli/doctor/supervise-checks.ts');
      const command = [process.execPath, process.argv[1] ?? '', diagnoseCommandName] as const;
      yield* superviseChecks({ command, clock: systemClock, signal });
    },
    async *diagnose(signal) {
      const { diagnose } = await import('./cli/local/doctor/diagnose.ts');
      yield* diagnose({ environment, version, packageFolder, signal });
    },
  },
  async checkUpdate(signal) {
    const { checkUpdate } = await import('./cli/local/update/check-update.ts');
    const proxy = { https: load('httpsProxy'), http: load('httpProxy'), except: load('noProxy') };
    return checkUpdate({ environment, version, packageFolder, proxy, tls: clientTls(), clock: systemClock, signal });
  },
};

function onInterrupt(callback: () => void): void {
  let interrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // A second signal exits without waiting for the cleanup.
      if (interrupted) process.exit(exitCodes.interrupted);
      interrupted = true;
      callback();
    });
  }
}

void runCli({
  words: process.argv.slice(2),
  commands: createCommandTable(
    ports,
    features.flatMap(({ commands = [] }) => commands),
  ),
  terminal,
  clock: systemClock,
  version,
  serverUrl,
  apiKey: (url) => readApiKey(url, { environment, onWarning }),
  createTlsContext,
  servesTls,
  serveCommand: [process.execPath, process.argv[1] ?? '', 'serve'],
  onInterrupt,
}).then((code) => {
  process.exitCode = code;
});
