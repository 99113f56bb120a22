#!/usr/bin/env node
// The command `hearth`: reads the command line and starts the server.

import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { compose } from './compose.ts';
import { usage } from './config/help.ts';
import { keyFolders } from './config/key-folders.ts';
import { loadSettings, processEnvironment } from './config/load-settings.ts';
import { flagName, type SettingKey, type Settings, settingKeys } from './config/settings.ts';
import { systemClock } from './kernel/clock.ts';
import { HearthError, messageOf } from './kernel/errors.ts';
import { createLogger } from './kernel/logger.ts';
import { keyCommand } from './key-command.ts';
import { libraryCommand } from './library-command.ts';
import { verifyCommand } from './verify-command.ts';

const version = (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string })
  .version;
const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function main(words: readonly string[]): Promise<void> {
  const [command, ...rest] = words;
  switch (command) {
    case 'serve':
    case 'start':
      return serve(rest);
    case 'verify':
      return verify(rest);
    case 'key':
      return keyCommand({ folders: keyFolders(), say });
    case 'library':
      return libraryCommand(rest, say);
    case 'version':
    case '--version':
    case '-v':
      return say(`hearth version ${version}`);
    case undefined:
    case 'help':
    case '--help':
    case '-h':
      return say(usage());
    default:
      throw new HearthError('bad_configuration', `there is no command "${command}"; hearth --help shows what there is`);
  }
}

async function serve(words: readonly string[]): Promise<void> {
  const options = Object.fromEntries(
    [...settingKeys.map(flagName), 'config'].map((name) => [name, { type: 'string' as const }]),
  );
  const { values } = parseFlags(words, { ...options, help: { type: 'boolean', short: 'h' } });
  if (values['help'] === true) return say(usage());
  const flags = Object.fromEntries(settingKeys.map((key) => [key, values[flagName(key)]])) as {
    [Key in SettingKey]?: string;
  };
  const configFile = values['config'] as string | undefined;
  await run(
    loadSettings({ environment: processEnvironment, flags, ...(configFile === undefined ? {} : { configFile }) }),
  );
}

async function verify(words: readonly string[]): Promise<void> {
  const { values } = parseFlags(words, { models: { type: 'string' }, repair: { type: 'boolean' } });
  const models = values['models'] as string | undefined;
  const settings = loadSettings({ environment: processEnvironment, flags: models === undefined ? {} : { models } });
  const sound = await verifyCommand({ root: settings.models, repair: values['repair'] === true, say });
  if (!sound) process.exitCode = 1;
}

function parseFlags(
  args: readonly string[],
  options: NonNullable<Parameters<typeof parseArgs>[0]>['options'] & object,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: false });
  } catch (error) {
    throw new HearthError('bad_configuration', messageOf(error));
  }
}

async function run(settings: Settings): Promise<void> {
  const logger = createLogger({
    clock: systemClock,
    level: settings.debug ? 'debug' : 'info',
    format: settings.logFormat,
    write: (line) => void process.stderr.write(line),
  });
  const hearth = compose({ settings, version, clock: systemClock, logger });
  const address = await hearth.start();

  let askedAt: number | undefined;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (askedAt !== undefined) {
        // Whoever asks twice does not want to wait; but one Ctrl-C comes twice, from the terminal and passed on by npm.
        if (systemClock.monotonic() - askedAt > 1e9) process.exit(1);
        return;
      }
      askedAt = systemClock.monotonic();
      logger.info('stopping', { signal });
      hearth.stop().then(
        () => process.exit(0),
        (error: unknown) => {
          logger.error(messageOf(error));
          process.exit(1);
        },
      );
    });
  }
  say(
    `Hearth is listening on ${address}\n\nTry it:\n  curl ${address}/api/generate -d '{"model": "ember", "prompt": "Why is the sky blue?"}'\n`,
  );
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`Error: ${messageOf(error)}\n`);
  process.exitCode = 1;
});
