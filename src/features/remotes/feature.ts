// hearth remote add | list | check | remove

import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isLoopbackUrl } from '../../base/config/server-url.ts';
import { HearthError } from '../../base/errors.ts';
import type { CliContext, CommandInput, CommandSpec } from '../../cli/command.ts';
import { formatJson, safeLine } from '../../cli/output/format.ts';
import { formatTable, tableWidth } from '../../cli/output/table.ts';
import type { HearthClient } from '../../client/client.ts';
import { readRemoteKey } from '../../inference/remote/http/read-key.ts';
import type { Feature } from '../feature.ts';
import { remoteKeysFolder } from './remote-files.ts';
import type { AddRemoteRequestBody, CheckRemoteResponseBody, RemoteBody } from './remotes-schema.ts';

const remoteName = { name: 'name', required: true, completes: 'nothing' } as const;
const kinds = ['auto', 'vllm', 'sglang', 'llama-server', 'ollama', 'openai'] as const;
const json = { flags: '--json', help: 'Print the response of the API as JSON' } as const;

const remoteCommand: CommandSpec = {
  name: 'remote',
  summary: 'Manage the servers that run remote models',
  description:
    'A remote is one server or several with the same models: vLLM, SGLang, llama-server, Ollama, another Hearth, or any server with the API of OpenAI. The commands need a key with the scope admin, if there are keys. A running server follows at once.',
  examples: ['hearth remote list'],
  commands: [
    {
      name: 'add',
      summary: 'Add a remote, or endpoints to one',
      description:
        'With --model, or if the remote has one model, a model with the name of the remote is created. Others are created with FROM remote://NAME/model in a Modelfile. The key and the authorities are read from files of this machine and sent to the server, which keeps them in files of its own.',
      arguments: [remoteName],
      options: [
        { flags: '--url <urls...>', help: 'Addresses of servers with the same models' },
        { flags: '--model <name>', help: 'Name of the model there' },
        { flags: '--kind <kind>', help: 'What the servers are (default auto)', choices: kinds },
        {
          flags: '--events <ports>',
          help: 'Port of the cache events of a vLLM, and of those that it repeats: 5557,5558',
        },
        { flags: '--key-file <path>', help: 'File with the key, which only its owner can read', completes: 'file' },
        { flags: '--key-env <name>', help: 'Variable of the server that has the key: HEARTH_REMOTE_KEY_…' },
        { flags: '--ca-file <path>', help: 'PEM file with authorities to trust', completes: 'file' },
      ],
      examples: [
        'hearth remote add gpu --url http://gpu1.example:8000 http://gpu2.example:8000 --model llama3',
        'hearth remote add cloud --url https://api.example --key-file ~/.hearth/cloud.key --kind openai',
      ],
      execute: addRemote,
    },
    {
      name: 'list',
      alias: 'ls',
      summary: 'List the remotes and their endpoints',
      options: [json],
      examples: ['hearth remote list'],
      async execute({ connect, terminal, signal }, { options }) {
        const response = await (await connect()).remotes.list(signal);
        const width = tableWidth(terminal.stdout);
        terminal.stdout.write(options['json'] === true ? formatJson(response) : formatRemotes(response.remotes, width));
      },
    },
    {
      name: 'check',
      summary: 'Ask the endpoints of a remote what they can do',
      arguments: [remoteName],
      options: [json],
      examples: ['hearth remote check gpu'],
      async execute({ connect, terminal, signal }, { words: [name = ''], options }) {
        const response = await (await connect()).remotes.check(name, signal);
        terminal.stdout.write(options['json'] === true ? formatJson(response) : formatChecks(response.endpoints));
        return response.endpoints.every(({ error }) => error === undefined) ? undefined : 1;
      },
    },
    {
      name: 'remove',
      alias: 'rm',
      summary: 'Remove a remote, or one endpoint of it',
      description:
        'Its models are removed with it, unless --keep-models is given: then they work again when a remote of this name is added.',
      arguments: [remoteName],
      options: [
        { flags: '--url <url>', help: 'Only the endpoint with this address' },
        { flags: '--keep-models', help: 'Leave the models of the remote in the list' },
      ],
      examples: ['hearth remote remove gpu', 'hearth remote remove gpu --url http://gpu2.example:8000'],
      execute: removeRemote,
    },
  ],
};

export const remotesFeature: Feature = { commands: [remoteCommand] };

async function addRemote(context: CliContext, input: CommandInput): Promise<undefined> {
  const { connect, terminal, signal } = context;
  const request = await toRequest(context, input);
  const client = await connect();
  await client.remotes.add(request, signal);
  terminal.stderr.write(`added the remote '${safeLine(request.name)}'\n`);
  const { endpoints } = await client.remotes.check(request.name, signal);
  for (const { url, error } of endpoints)
    if (error !== undefined) terminal.stderr.write(`Warning: ${safeLine(url)}: ${safeLine(error)}\n`);
  const served = request.model ?? onlyModel(endpoints);
  if (served !== undefined) await createModel(context, client, { name: request.name, served });
  else terminal.stderr.write(`Create its models with FROM remote://${safeLine(request.name)}/MODEL in a Modelfile.\n`);
  return undefined;
}

async function removeRemote(
  { connect, terminal, signal }: CliContext,
  { words: [name = ''], options }: CommandInput,
): Promise<void> {
  const client = await connect();
  const url = options['url'] as string | undefined;
  await client.remotes.remove(name, url, signal);
  const { remotes } = await client.remotes.list(signal);
  if (remotes.some((remote) => remote.name === name)) {
    terminal.stderr.write(`removed ${safeLine(url ?? '')} from the remote '${safeLine(name)}'\n`);
    return;
  }
  terminal.stderr.write(`removed the remote '${safeLine(name)}'\n`);
  if (options['keepModels'] === true) return;
  const { models } = await client.list(signal);
  for (const model of models.filter(({ remote_host: host }) => host === name)) {
    await client.remove(model.name, signal);
    terminal.stderr.write(`removed the model '${safeLine(model.name)}'\n`);
  }
}

async function toRequest(
  context: CliContext,
  { words: [name = ''], options }: CommandInput,
): Promise<AddRemoteRequestBody> {
  const textOf = (option: string): string | undefined => options[option] as string | undefined;
  const urls = options['url'] as readonly string[] | undefined;
  if (urls === undefined) throw new HearthError('bad_request', 'an address is missing: use --url');
  const [model, kind, keyFile, keyEnv, caFile] = ['model', 'kind', 'keyFile', 'keyEnv', 'caFile'].map(textOf);
  const events = textOf('events');
  return {
    name,
    urls: [...urls],
    model,
    kind,
    events,
    key_env: keyEnv,
    ...(await toKey(context, keyFile)),
    ca: caFile === undefined ? undefined : await readFile(caFile, 'utf8'),
  };
}

/** A file in the folder of the server's own keys is read for each request, so that it can change. Others are read now. */
async function toKey(
  { client, loadSetting }: CliContext,
  keyFile: string | undefined,
): Promise<Pick<AddRemoteRequestBody, 'key' | 'key_file'>> {
  if (keyFile === undefined) return {};
  const path = resolve(keyFile);
  const isOfServer = isLoopbackUrl(client().url) && dirname(path) === remoteKeysFolder(loadSetting('remotesFile'));
  return isOfServer ? { key_file: path } : { key: await readRemoteKey(`file:${path}`, {}) };
}

type Checks = CheckRemoteResponseBody['endpoints'];

/** Undefined if the remote has several, or none. */
function onlyModel(endpoints: Checks): string | undefined {
  const names = new Set(endpoints.flatMap(({ models = [] }) => models.map(({ id }) => id)));
  return names.size === 1 ? [...names][0] : undefined;
}

/** Does not replace a model with weights. */
async function createModel(
  { terminal, signal }: CliContext,
  client: HearthClient,
  { name, served }: { readonly name: string; readonly served: string },
): Promise<void> {
  const { models } = await client.list(signal);
  const existing = models.find((model) => model.name === name || model.name === `${name}:latest`);
  if (existing !== undefined && existing.remote_model === undefined) {
    terminal.stderr.write(`There is already a model '${safeLine(name)}', which was not changed.\n`);
    return;
  }
  for await (const _ of client.create({ model: name, from: `remote://${name}/${served}` }, signal));
  terminal.stderr.write(`created the model '${safeLine(name)}'\n`);
}

export function formatRemotes(remotes: readonly RemoteBody[], width?: number): string {
  return formatTable(
    ['NAME', 'URL', 'KIND', 'MODEL', 'KEY'],
    remotes.flatMap(({ name, endpoints }) =>
      endpoints.map(({ url, kind = 'auto', model = '', key_file, key_env }) => [
        safeLine(name),
        safeLine(url),
        safeLine(kind),
        safeLine(model),
        safeLine(key_file ?? (key_env === undefined ? '' : `$${key_env}`)),
      ]),
    ),
    { optional: ['KEY', 'MODEL', 'KIND'], width },
  );
}

export function formatChecks(endpoints: Checks): string {
  return endpoints
    .map(({ url, error, milliseconds, kind = '', version = '', hearth, models = [], features = [] }) => {
      if (error !== undefined) return `${safeLine(url)}\n  failed after ${milliseconds} ms: ${safeLine(error)}\n`;
      const names = models.map(({ id, context_length: length }) =>
        safeLine(length === undefined ? id : `${id} (${length} tokens)`),
      );
      const program = hearth === undefined ? `${kind} ${version}`.trim() : `Hearth ${hearth}`;
      const what = safeLine(program);
      return `${safeLine(url)}\n  ${what}, ${milliseconds} ms\n  models: ${names.join(', ')}\n  can: ${features.map(safeLine).join(', ')}\n`;
    })
    .join('');
}
