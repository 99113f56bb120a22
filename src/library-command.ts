// `hearth library serve`: a library of a team's own. Flags as text, so that any command line can pass them on.

import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { choice, count, type Kind, path, size } from './config/kinds.ts';
import { systemClock } from './kernel/clock.ts';
import { HearthError, messageOf } from './kernel/errors.ts';
import { createLogger } from './kernel/logger.ts';
import { type LibraryOptions, serveLibrary } from './library/serve-library.ts';
import { stopOnSignals } from './stop-on-signals.ts';

export const libraryFlags = {
  host: { kind: 'host', default: '127.0.0.1', help: 'Address to listen on; 0.0.0.0 is all of them.' },
  port: { kind: 'number', default: '11435', help: 'Port to listen on; 0 is any that is free.' },
  folder: { kind: 'path', default: '~/.hearth/library', help: 'The store: models are kept and served from here.' },
  pull: { kind: 'open | keyed', default: 'open', help: 'Who may pull: anybody, or holders of registered keys.' },
  keys: {
    kind: 'path',
    default: '',
    help: 'Public keys of those who may push, one on each line; by default authorized_keys in the folder.',
  },
  url: {
    kind: 'url',
    default: '',
    help: 'The address that clients know it by, behind a proxy or under a name of its own.',
  },
  'max-upload': { kind: 'size', default: '1024GiB', help: 'The largest blob that is taken.' },
} as const;

export type LibraryFlags = { readonly [Name in keyof typeof libraryFlags]?: string };

type Say = (text: string) => void;

export function libraryHelp(): string {
  const flags = Object.entries(libraryFlags).map(([name, { kind, default: byDefault, help }]) => {
    return `  --${name} <${kind}>\n      ${help}${byDefault === '' ? '' : ` (default ${byDefault})`}`;
  });
  return `Usage: hearth library serve [flags]

Serves a folder of models to others, who pull from it and, with a registered key, push to it. A key is registered by
adding the line that \`hearth key\` prints to the file authorized_keys in the folder.

Example:
  hearth library serve --host 0.0.0.0 --folder /srv/models --url http://models.example:11435

Flags:
${flags.join('\n')}`;
}

/** The words behind `hearth library`. */
export async function libraryCommand(words: readonly string[], say: Say): Promise<void> {
  const [action, ...rest] = words;
  const options = Object.fromEntries(Object.keys(libraryFlags).map((name) => [name, { type: 'string' as const }]));
  const { values } = parseFlags(rest, { ...options, help: { type: 'boolean', short: 'h' } });
  if (action === undefined || action === '--help' || action === '-h' || action === 'help' || values['help'] === true)
    return say(libraryHelp());
  if (action !== 'serve') throw bad(`there is no "library ${action}"; hearth library --help shows what there is`);
  await runLibrary(values as LibraryFlags, say);
}

/** Resolves when the library listens; it goes on until a signal ends the process. */
export async function runLibrary(flags: LibraryFlags, say: Say): Promise<void> {
  const write = (line: string): void => void process.stderr.write(line);
  const logger = createLogger({ clock: systemClock, level: 'info', write });
  const options = toLibraryOptions(flags);
  const library = await serveLibrary({ ...options, clock: systemClock, logger });
  stopOnSignals({ stop: library.stop, clock: systemClock, logger });
  const keys = `Keys that may push are in ${options.keysFile}; \`hearth key\` prints one's own.`;
  say(`Hearth library is listening on ${library.address}, with the models in ${options.folder}\n${keys}`);
}

export function toLibraryOptions(flags: LibraryFlags): Omit<LibraryOptions, 'clock' | 'logger'> {
  const value = <T>(name: keyof LibraryFlags, kind: Kind<T>): T => {
    const text = flags[name] ?? libraryFlags[name].default;
    const parsed = kind.parse(text);
    if (parsed === undefined) throw bad(`--${name} is ${JSON.stringify(text)}, but must be ${kind.expects}.`);
    return parsed;
  };
  const folder = value('folder', path);
  return {
    folder,
    host: value('host', host),
    port: value('port', port),
    pull: value('pull', choice('open', 'keyed')),
    keysFile: flags.keys === undefined ? join(folder, 'authorized_keys') : value('keys', path),
    maxUploadBytes: value('max-upload', size),
    ...(flags.url === undefined ? {} : { url: value('url', baseUrl) }),
  };
}

const host: Kind<string> = {
  name: 'host',
  expects: 'a name or an address without a port, which --port has',
  parse: (text) => (/^[\w.-]+$/.test(text) || isIPv6(text) ? text : undefined),
};

const port: Kind<number> = {
  ...count,
  expects: 'a port, 0 to 65535',
  parse: (text) => {
    const number = count.parse(text);
    return number === undefined || number > 65535 ? undefined : number;
  },
};

/** Paths of the protocol begin at the root. */
const baseUrl: Kind<string> = {
  name: 'url',
  expects: 'an address such as https://models.example, without a path',
  parse: (text) => (/^https?:\/\/(\[[0-9a-fA-F:.]+\]|[\w.-]+)(:\d{1,5})?\/?$/.test(text) ? text : undefined),
};

function parseFlags(
  args: readonly string[],
  options: NonNullable<Parameters<typeof parseArgs>[0]>['options'] & object,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: false });
  } catch (error) {
    throw bad(messageOf(error));
  }
}

function bad(message: string): HearthError {
  return new HearthError('bad_configuration', message);
}
