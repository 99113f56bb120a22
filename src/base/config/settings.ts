// The one table of settings. Environment, file and flags of `serve` all derive their names from the keys:
// keepAlive is HEARTH_KEEP_ALIVE, `keep_alive` and --keep-alive.

import {
  address,
  choice,
  count,
  duration,
  engineBuild,
  flag,
  type Kind,
  libraryAddress,
  libraryCredentials,
  list,
  path,
  proxyAddress,
  size,
  text,
  triState,
} from './kinds.ts';

interface Setting<T> {
  readonly kind: Kind<T>;
  /** As a user would write it. */
  readonly default: string;
  /** Whether OLLAMA_<NAME> is honoured too, so that a switch needs no edit. */
  readonly ollama: boolean;
  /** Variables that many programs share. */
  readonly shared?: readonly string[];
  readonly help: string;
  /** For those who type commands; a server has no use for it. */
  readonly atPrompt?: true;
}

function setting<T>(kind: Kind<T>, row: Omit<Setting<T>, 'kind'>): Setting<T> {
  return { kind, ...row };
}

export const settingTable = {
  host: setting(address, {
    default: '127.0.0.1:11434',
    ollama: true,
    help: 'Address to listen on.',
  }),
  models: setting(path, {
    default: '~/.hearth/models',
    ollama: true,
    help: 'Folder of the store: blobs and manifests.',
  }),
  origins: setting(list, {
    default: '',
    ollama: true,
    help: 'Browser origins that may call the server beside the local ones; one * in an entry is a wildcard.',
  }),
  keepAlive: setting(duration, {
    default: '5m',
    ollama: true,
    help: 'How long a model stays loaded after its last request; negative is for ever.',
  }),
  loadTimeout: setting(duration, {
    default: '5m',
    ollama: true,
    help: 'How long a loading model may show no progress before it is given up; 0 or negative is for ever.',
  }),
  maxLoadedModels: setting(count, {
    default: '3',
    ollama: true,
    help: 'How many models may be loaded at once; 0 is the default of 3.',
  }),
  maxQueue: setting(count, {
    default: '512',
    ollama: true,
    help: 'How many requests may wait for one model before new ones are turned away.',
  }),
  numParallel: setting(count, {
    default: '0',
    ollama: true,
    help: 'Requests that one model serves at once, each with its full context; 0 is eight where that is little, otherwise four, or what memory allows.',
  }),
  contextLength: setting(count, {
    default: '0',
    ollama: true,
    help: 'Context length for requests that name none; 0 is what the model was trained with, at most 4096.',
  }),
  memoryBudget: setting(size, {
    default: '0',
    ollama: false,
    help: 'Main memory for all loaded models together; 0 is nine tenths of what the machine or its container has.',
  }),
  prefixCache: setting(size, {
    default: '512MiB',
    ollama: false,
    help: 'Memory per loaded model for prompts that were evaluated lately, so that they need not be again; 0 evaluates every prompt from its beginning.',
  }),
  flashAttention: setting(triState, {
    default: 'auto',
    ollama: true,
    help: 'Flash attention: auto lets the engine decide.',
  }),
  kvCacheType: setting(choice('f16', 'q8_0', 'q4_0'), {
    default: 'f16',
    ollama: true,
    help: 'Number format of the context memory; the quantised ones need flash attention.',
  }),
  llmLibrary: setting(engineBuild, {
    default: 'auto',
    ollama: true,
    help: 'Which build of the engine to use; auto takes a GPU build where one is installed.',
  }),
  maxBody: setting(size, {
    default: '64MiB',
    ollama: false,
    help: 'The largest request body that is read.',
  }),
  shutdownGrace: setting(duration, {
    default: '5s',
    ollama: false,
    help: 'How long running answers may go on after the server was told to stop.',
  }),
  noprune: setting(flag, {
    default: 'false',
    ollama: true,
    help: 'Leave blobs alone that no model refers to; otherwise they are removed at start, an hour after they came.',
  }),
  nohistory: setting(flag, {
    default: 'false',
    ollama: true,
    atPrompt: true,
    help: 'Do not keep what is typed at the prompt of `hearth run` for the next run.',
  }),
  historyFile: setting(path, {
    default: '~/.hearth/history',
    ollama: false,
    atPrompt: true,
    help: 'Where what is typed at the prompt of `hearth run` is kept.',
  }),
  library: setting(libraryAddress, {
    default: 'registry.ollama.ai',
    ollama: false,
    help: 'The library that models come from whose name has no host; http:// before it for one of your own without encryption.',
  }),
  libraryCredentials: setting(libraryCredentials, {
    default: '',
    ollama: false,
    help: 'Names and passwords for libraries that want them: host=name:password, with commas between entries and %2C for a comma inside one. Best kept in the file.',
  }),
  httpsProxy: setting(proxyAddress, {
    default: '',
    ollama: false,
    shared: ['HTTPS_PROXY', 'https_proxy'],
    help: 'The proxy through which libraries are reached; those on this machine or in this network by their address are not.',
  }),
  httpProxy: setting(proxyAddress, {
    default: '',
    ollama: false,
    shared: ['HTTP_PROXY', 'http_proxy'],
    help: 'The same for libraries without encryption.',
  }),
  noProxy: setting(text, {
    default: '',
    ollama: false,
    shared: ['NO_PROXY', 'no_proxy'],
    help: 'Hosts to reach without a proxy, with commas between them.',
  }),
  strictSpec: setting(flag, {
    default: 'false',
    ollama: false,
    help: 'Leave `message` out of the last object of a chat stream, as the letter of the contract has it; most SDKs need it.',
  }),
  debug: setting(flag, {
    default: 'false',
    ollama: true,
    help: "Log more, the engine's own messages included.",
  }),
  logFormat: setting(choice('text', 'json'), {
    default: 'text',
    ollama: false,
    help: 'Log lines for people (text), or one JSON object a line for machines.',
  }),
} satisfies Record<string, Setting<unknown>>;

export type SettingKey = keyof typeof settingTable;
export type Settings = {
  readonly [Key in SettingKey]: (typeof settingTable)[Key] extends Setting<infer T> ? T : never;
};

export const settingKeys = Object.keys(settingTable) as SettingKey[];
/** Those that `serve` has a flag for. */
export const serverSettingKeys = settingKeys.filter((key) => !settingTable[key].atPrompt);

export function fileName(key: SettingKey): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function environmentName(key: SettingKey, prefix: 'HEARTH' | 'OLLAMA' = 'HEARTH'): string {
  return `${prefix}_${fileName(key).toUpperCase()}`;
}

/** All that are read, the strongest first. */
export function environmentNames(key: SettingKey): string[] {
  const { ollama, shared = [] }: Setting<unknown> = settingTable[key];
  return [environmentName(key), ...(ollama ? [environmentName(key, 'OLLAMA')] : []), ...shared];
}

export function flagName(key: SettingKey): string {
  return fileName(key).replaceAll('_', '-');
}
