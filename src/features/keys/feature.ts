// hearth keys create | list | revoke | rotate

import { isLoopbackUrl } from '../../base/config/server-url.ts';
import { HearthError } from '../../base/errors.ts';
import { keyScopes } from '../../base/request/caller-key.ts';
import { formatTimestamp, parseTimestamp } from '../../base/time/timestamp.ts';
import type { CliContext, CommandInput, CommandSpec } from '../../cli/command.ts';
import { formatJson, formatMoment, safeLine } from '../../cli/output/format.ts';
import { formatTable, tableWidth } from '../../cli/output/table.ts';
import type { KeyCalls } from '../../client/client.ts';
import type { Feature } from '../feature.ts';
import type { CreateKeyRequestBody, KeyEntryBody, NewKeyResponseBody } from './keys-schema.ts';
import { loginCommand, logoutCommand } from './login-commands.ts';

const keyName = { name: 'name', required: true, completes: 'nothing' } as const;

const keysCommand: CommandSpec = {
  name: 'keys',
  summary: 'Manage the keys that clients need',
  description:
    'If there are keys, every request needs one. On the machine of the server, the commands change its file of keys, or the database of HEARTH_STATE; otherwise they need a key with the scope admin. A running server follows within a second.',
  examples: ['hearth keys list'],
  commands: [
    {
      name: 'create',
      summary: 'Create a key and print it',
      description:
        'The first key locks everybody else out: from then on, every request needs a key, also on this machine. The key is shown only once. Scopes: infer allows the use of models; manage also allows pulling, creating and deleting them; admin allows everything.',
      arguments: [keyName],
      options: [
        {
          flags: '--scope <scope>',
          help: 'What the key may do (default infer; admin with --save)',
          choices: keyScopes,
        },
        { flags: '--models <patterns>', help: "Only these models, separated by commas, such as 'llama*,ember'" },
        { flags: '--expires <time>', help: 'How long the key is valid, such as 12h, 90d or 52w (default: no end)' },
        { flags: '--requests-per-minute <n>', help: 'Maximum number of requests per minute that run a model' },
        { flags: '--tokens-per-day <n>', help: 'Maximum number of tokens of prompts and answers per day (UTC)' },
        { flags: '--group <name>', help: 'Keys of one group share evaluated prompts' },
        { flags: '--weight <n>', help: 'Share of the slots relative to other keys (default 1)' },
        { flags: '--save', help: 'Write the key to ~/.hearth/credentials, where the commands of this user find it' },
      ],
      examples: [
        'hearth keys create me --save',
        'hearth keys create anna',
        "hearth keys create ci --models 'llama*' --expires 90d --requests-per-minute 60",
        'hearth keys create ops --scope admin',
      ],
      async execute(context, input) {
        const keys = await callsOf(context);
        const save =
          input.options['save'] === true ? await (await import('./save-key.ts')).openCredentials() : undefined;
        const isFirst = (await keys.list(context.signal)).keys.length === 0;
        const created = await keys.create(toRequest(input, context.clock.now()), context.signal);
        if (isFirst) context.terminal.stderr.write(lockedOut);
        if (save === undefined) printNewKey(context, created);
        else await saveNewKey(context, created, save);
      },
    },
    {
      name: 'list',
      alias: 'ls',
      summary: 'List the keys, without their secrets',
      options: [{ flags: '--json', help: 'Print the response of the API as JSON' }],
      examples: ['hearth keys list'],
      async execute(context, { options }) {
        const response = await (await callsOf(context)).list(context.signal);
        const { stdout } = context.terminal;
        const now = context.clock.now();
        stdout.write(
          options['json'] === true ? formatJson(response) : formatKeys(response.keys, now, tableWidth(stdout)),
        );
      },
    },
    {
      name: 'rotate',
      summary: 'Replace the secret of a key and print the new key',
      arguments: [keyName],
      examples: ['hearth keys rotate anna'],
      async execute(context, { words: [name = ''] }) {
        printNewKey(context, await (await callsOf(context)).rotate(name, context.signal));
      },
    },
    {
      name: 'revoke',
      summary: 'Revoke a key',
      arguments: [keyName],
      examples: ['hearth keys revoke anna'],
      async execute(context, { words: [name = ''] }) {
        await (await callsOf(context)).revoke(name, context.signal);
        context.terminal.stderr.write(`The key '${safeLine(name)}' is revoked.\n`);
      },
    },
  ],
};

export const keysFeature: Feature = {
  commands: [keysCommand, loginCommand, logoutCommand],
  checks: async () => [(await import('./access-check.ts')).accessCheck],
};

/** On the machine of the server, the key file or the shared state; elsewhere, the server is asked. */
async function callsOf({ client, loadSetting }: CliContext): Promise<KeyCalls> {
  if (!isLoopbackUrl(client().url)) return client().keys;
  const { createLocalKeys } = await import('./local-keys.ts');
  return createLocalKeys(loadSetting('keysFile'), {
    state: loadSetting('state'),
    statePasswordFile: loadSetting('statePasswordFile'),
    stateOptional: loadSetting('stateOptional'),
    tlsCa: loadSetting('tlsCa'),
    tlsCert: loadSetting('tlsCert'),
    tlsKey: loadSetting('tlsKey'),
  });
}

const lockedOut =
  'This is the first key. From now on, every request to this server needs a key: programs and browsers without one are refused.\n';

async function saveNewKey(
  { client, terminal }: CliContext,
  { key, name }: NewKeyResponseBody,
  save: (url: string, key: string) => Promise<string>,
): Promise<void> {
  const file = await save(client().url, key).catch((error: unknown) => {
    // The key exists, and nobody else can show it.
    terminal.stdout.write(`${safeLine(key)}\n`);
    throw error;
  });
  terminal.stderr.write(`The key '${safeLine(name)}' is in ${file}, where the commands of this user find it.\n`);
}

function printNewKey({ terminal }: CliContext, { key, name }: NewKeyResponseBody): void {
  terminal.stderr.write(
    `The key '${safeLine(name)}' is shown only now. Clients send it as their API key; this command reads it from HEARTH_API_KEY or from ~/.hearth/credentials.\n`,
  );
  terminal.stdout.write(`${safeLine(key)}\n`);
}

function toRequest({ words: [name = ''], options }: CommandInput, now: number): CreateKeyRequestBody {
  const textOf = (option: string): string | undefined => options[option] as string | undefined;
  const [scope, models, expires, group] = ['scope', 'models', 'expires', 'group'].map(textOf);
  return {
    name,
    scope: scope === undefined ? defaultScope(options) : (scope as CreateKeyRequestBody['scope'] & string),
    models: models?.split(',').map((pattern) => pattern.trim()),
    expires_at: expires === undefined ? undefined : formatTimestamp(now + parseLifetimeMs(expires)),
    ...numberOption('requests_per_minute', textOf('requestsPerMinute')),
    ...numberOption('tokens_per_day', textOf('tokensPerDay')),
    ...(group === undefined ? {} : { group }),
    ...numberOption('weight', textOf('weight')),
  };
}

/** A key that is saved is for the commands of the user who manages the server. */
function defaultScope(options: CommandInput['options']): 'admin' | undefined {
  return options['save'] === true ? 'admin' : undefined;
}

function numberOption(field: string, text: string | undefined): Record<string, number> {
  if (text === undefined) return {};
  if (!/^[1-9]\d{0,11}$/.test(text))
    throw new HearthError('bad_request', `--${field.replaceAll('_', '-')} must be a whole number from 1`);
  return { [field]: Number(text) };
}

const hour = 3_600_000;
const units = { h: hour, d: 24 * hour, w: 7 * 24 * hour };

export function parseLifetimeMs(text: string): number {
  const [, count, unit = ''] = /^([1-9]\d{0,4})([hdw])$/.exec(text) ?? [];
  if (count === undefined)
    throw new HearthError('bad_request', '--expires must be a number of hours, days or weeks, such as 12h, 90d or 52w');
  return Number(count) * units[unit as keyof typeof units];
}

export function formatKeys(keys: readonly KeyEntryBody[], now: number, width?: number): string {
  return formatTable(
    ['NAME', 'SCOPE', 'MODELS', 'REQUESTS/MIN', 'TOKENS/DAY', 'WEIGHT', 'GROUP', 'EXPIRES'],
    keys.map((key) => [
      safeLine(key.name),
      key.scope,
      key.models.length === 0 ? 'all' : safeLine(key.models.join(',')),
      String(key.requests_per_minute ?? ''),
      String(key.tokens_per_day ?? ''),
      String(key.weight),
      safeLine(key.group ?? ''),
      key.expires_at === undefined ? 'Never' : formatExpiry(parseTimestamp(key.expires_at), now),
    ]),
    { optional: ['GROUP', 'WEIGHT', 'TOKENS/DAY', 'REQUESTS/MIN'], width },
  );
}

/** In days, as in `--expires 90d`: weeks and months would be rounded. */
function formatExpiry(moment: number, now: number): string {
  if (moment <= now) return `Expired ${formatMoment(moment, now)}`;
  const days = Math.round((moment - now) / units.d);
  return days < 14 ? formatMoment(moment, now) : `${days} days from now`;
}
