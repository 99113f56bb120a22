// hearth users list | limit | block | unblock | remove

import { HearthError } from '../../base/errors.ts';
import { parseTimestamp } from '../../base/time/timestamp.ts';
import type { CliContext, CommandInput, CommandSpec } from '../../cli/command.ts';
import { formatJson, formatMoment, safeLine } from '../../cli/output/format.ts';
import { formatTable, tableWidth } from '../../cli/output/table.ts';
import type { Feature } from '../feature.ts';
import type { UserEntryBody, UserRequestBody } from './users-schema.ts';

const userName = { name: 'name', required: true, completes: 'nothing' } as const;

const usersCommand: CommandSpec = {
  name: 'users',
  summary: 'Manage the users who sign in with OpenID Connect',
  description:
    'Users appear here after they have signed in for the first time; HEARTH_OIDC_ISSUER names the provider. The commands need a key with the scope admin.',
  examples: ['hearth users list'],
  commands: [
    {
      name: 'list',
      alias: 'ls',
      summary: 'List the users with their limits and keys',
      options: [{ flags: '--json', help: 'Print the response of the API as JSON' }],
      examples: ['hearth users list'],
      async execute({ client, clock, terminal: { stdout }, signal }, { options }) {
        const response = await client().users.list(signal);
        stdout.write(
          options['json'] === true
            ? formatJson(response)
            : formatUsers(response.users, clock.now(), tableWidth(stdout)),
        );
      },
    },
    {
      name: 'limit',
      summary: 'Set the limits of a user',
      arguments: [userName],
      options: [
        { flags: '--requests-per-minute <n>', help: 'Maximum number of requests per minute that run a model; 0 = any' },
        { flags: '--tokens-per-day <n>', help: 'Maximum number of tokens of prompts and answers per day; 0 = any' },
        { flags: '--models <patterns>', help: "Only these models, separated by commas; '*' for all" },
      ],
      examples: ['hearth users limit anna --tokens-per-day 1000000'],
      execute: (context, input) => change(context, input, toLimits(input), 'has new limits'),
    },
    {
      name: 'block',
      summary: 'Block a user: sessions, keys and running answers end',
      arguments: [userName],
      examples: ['hearth users block anna'],
      execute: (context, input) => change(context, input, { blocked: true }, 'is blocked'),
    },
    {
      name: 'unblock',
      summary: 'Let a blocked user sign in again',
      arguments: [userName],
      examples: ['hearth users unblock anna'],
      execute: (context, input) => change(context, input, { blocked: false }, 'can sign in'),
    },
    {
      name: 'remove',
      summary: 'Forget a user, the limits and the keys',
      arguments: [userName],
      examples: ['hearth users remove anna'],
      async execute({ client, terminal, signal }, { words: [name = ''] }) {
        await client().users.remove(name, signal);
        terminal.stderr.write(`The user '${safeLine(name)}' is forgotten.\n`);
      },
    },
  ],
};

export const signInFeature: Feature = { commands: [usersCommand] };

async function change(
  { client, terminal, signal }: CliContext,
  { words: [name = ''] }: CommandInput,
  limits: UserRequestBody,
  outcome: string,
): Promise<void> {
  await client().users.change(name, limits, signal);
  terminal.stderr.write(`The user '${safeLine(name)}' ${outcome}.\n`);
}

function toLimits({ options }: CommandInput): UserRequestBody {
  const textOf = (option: string): string | undefined => options[option] as string | undefined;
  const models = textOf('models')
    ?.split(',')
    .map((pattern) => pattern.trim());
  return {
    requests_per_minute: toQuota('--requests-per-minute', textOf('requestsPerMinute')),
    tokens_per_day: toQuota('--tokens-per-day', textOf('tokensPerDay')),
    models: models?.includes('*') ? [] : models,
  };
}

function toQuota(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,12}$/.test(text)) throw new HearthError('bad_request', `${flag} must be a whole number`);
  return Number(text);
}

export function formatUsers(users: readonly UserEntryBody[], now: number, width?: number): string {
  return formatTable(
    ['NAME', 'SCOPE', 'STATE', 'KEYS', 'TOKENS TODAY', 'TOKENS/DAY', 'REQUESTS/MIN', 'MODELS', 'CONFIRMED'],
    users.map((user) => [
      safeLine(user.name),
      user.scope,
      user.state,
      String(user.keys.length),
      String(user.tokens_today),
      String(user.tokens_per_day ?? ''),
      String(user.requests_per_minute ?? ''),
      user.models === undefined || user.models.length === 0 ? 'all' : safeLine(user.models.join(',')),
      user.confirmed_at === undefined ? '' : formatMoment(parseTimestamp(user.confirmed_at), now),
    ]),
    { optional: ['CONFIRMED', 'MODELS', 'REQUESTS/MIN', 'TOKENS/DAY'], width },
  );
}
