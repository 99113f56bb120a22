// The table of settings. Environment variables, the config file and the flags of `serve` derive their names from the
// keys: keepAlive is HEARTH_KEEP_ALIVE, `keep_alive` and --keep-alive.

import {
  address,
  count,
  duration,
  durationOrAuto,
  engineBuild,
  flag,
  folderChoice,
  kvCacheType,
  kvCacheTypeOrSame,
  list,
  oneOf,
  optionalPath,
  path,
  plainText,
  proxyAddress,
  registryAddress,
  registryCredentials,
  type SettingKind,
  shareList,
  size,
  triState,
  versionNumber,
} from './kinds.ts';

interface Setting<T> {
  readonly kind: SettingKind<T>;
  /** In the syntax that users write. */
  readonly default: string;
  /** Whether OLLAMA_<NAME> is read too. A string is the part after OLLAMA_ where the names differ. */
  readonly ollama: boolean | string;
  /** Variables that many programs share. */
  readonly shared?: readonly string[];
  /** Older keys that are still accepted but not documented. */
  readonly aliases?: readonly string[];
  readonly help: string;
  /** For the interactive prompt; the server does not use it. */
  readonly atPrompt?: true;
}

function setting<T>(kind: SettingKind<T>, row: Omit<Setting<T>, 'kind'>): Setting<T> {
  return { kind, ...row };
}

export const settingTable = {
  host: setting(address, {
    default: '127.0.0.1:11434',
    ollama: true,
    help: 'Address to listen on; a port alone, such as :11434, means all interfaces.',
  }),
  models: setting(path, {
    default: '~/.hearth/models',
    ollama: true,
    help: 'Folder of the model store (blobs and manifests).',
  }),
  origins: setting(list, {
    default: '',
    ollama: true,
    help: 'Additional browser origins that may call the server; an entry may contain one * as a wildcard.',
  }),
  allowedHosts: setting(list, {
    default: '',
    ollama: false,
    help: 'Additional names in the Host header by which clients may reach the server; an entry may contain one * as a wildcard, * alone disables the check.',
  }),
  keysFile: setting(path, {
    default: '~/.hearth/keys.json',
    ollama: false,
    help: 'File with the keys of `hearth keys`; if there are keys, every request needs one.',
  }),
  page: setting(flag, {
    default: 'true',
    ollama: false,
    help: 'Whether browsers that open the address of the server get the web page.',
  }),
  remotesFile: setting(path, {
    default: '~/.hearth/remotes.json',
    ollama: false,
    help: 'File with the remotes of `hearth remote`: the servers that run remote models.',
  }),
  remoteTimeout: setting(duration, {
    default: '5m',
    ollama: false,
    help: 'How long a remote may send nothing, before its answer and during it; -1 = no limit.',
  }),
  allowOpen: setting(flag, {
    default: 'false',
    ollama: false,
    help: 'Listen on addresses of the network even if there are no keys, so that everyone there can use the server.',
  }),
  tlsCert: setting(optionalPath, {
    default: '',
    ollama: false,
    help: 'PEM file with the certificate of this server, followed by intermediate ones; with it, the server listens with TLS. Read again when it changes. `hearth cert create` makes one. Commands show it to servers that ask for a client certificate.',
  }),
  tlsKey: setting(optionalPath, {
    default: '',
    ollama: false,
    help: 'PEM file with the private key of that certificate, without a passphrase.',
  }),
  tlsClientCa: setting(optionalPath, {
    default: '',
    ollama: false,
    help: 'PEM file with certificate authorities; with it, the server accepts only clients with a certificate of one of them (mutual TLS).',
  }),
  tlsCa: setting(optionalPath, {
    default: '',
    ollama: false,
    help: 'PEM file with certificate authorities that commands trust for servers, and the server for registries, besides the public ones; by default the one that `hearth cert create` made for this user.',
  }),
  keepAlive: setting(duration, {
    default: '5m',
    ollama: true,
    help: 'How long a model stays loaded after its last request; a negative value keeps it loaded.',
  }),
  preload: setting(list, {
    default: '',
    ollama: false,
    help: 'Models to load after the start, one after another. They stay loaded as after a request.',
  }),
  loadTimeout: setting(duration, {
    default: '5m',
    ollama: true,
    help: 'How long a load may make no progress before it is aborted; 0 or a negative value disables the limit.',
  }),
  maxLoadedModels: setting(count, {
    default: '3',
    ollama: true,
    help: 'Maximum number of loaded models; 0 = the default of 3.',
  }),
  maxQueue: setting(count, {
    default: '512',
    ollama: true,
    help: 'Maximum number of requests that wait for one model; further requests are rejected with status 503.',
  }),
  numParallel: setting(count, {
    default: '0',
    ollama: true,
    help: 'Parallel requests per model, each with its full context; 0 = automatic: on a GPU 32, otherwise 8, or fewer if memory does not allow it.',
  }),
  slotTime: setting(duration, {
    default: '5s',
    ollama: false,
    help: 'How long an answer may be generated before it is paused for a waiting request of another client that has fewer running; it continues later; -1 = never paused.',
  }),
  contextLength: setting(count, {
    default: '0',
    ollama: true,
    help: 'Context length for requests without num_ctx; 0 = automatic: the longest one that memory allows, at most the trained length of the model.',
  }),
  memoryBudget: setting(size, {
    default: '0',
    ollama: false,
    help: 'Main memory for all loaded models; 0 = 90 % of the memory of the machine or container.',
  }),
  gpuOverhead: setting(size, {
    default: '512MiB',
    ollama: true,
    help: 'Memory to leave free on each GPU.',
  }),
  splitMode: setting(oneOf('auto', 'none', 'layer', 'row'), {
    default: 'auto',
    ollama: false,
    help: 'How several GPUs share a model, for requests without split_mode: none = only main_gpu, layer = by layers, row = by rows of matrices, where the backend supports it; auto = none if main_gpu is above 0, otherwise layer.',
  }),
  tensorSplit: setting(shareList, {
    default: '',
    ollama: false,
    help: 'Shares of a model that the GPUs get, such as 3,1, for requests without tensor_split; empty = by free memory.',
  }),
  prefixCache: setting(size, {
    default: '512MiB',
    ollama: false,
    help: 'Memory per loaded model for the prefix cache, which keeps evaluated prompts for reuse; 0 disables it.',
  }),
  cache: setting(folderChoice, {
    default: 'auto',
    ollama: false,
    help: 'Folder for evaluated prompts, which are read again after a model was unloaded or the server was restarted; the files contain what users wrote; auto = the folder `cache` next to the model store; 0 = nothing is written.',
  }),
  cacheSize: setting(size, {
    default: '8GiB',
    ollama: false,
    help: 'Maximum size of that folder; the least valuable files are removed first; 0 = nothing is written.',
  }),
  speculation: setting(flag, {
    default: 'true',
    ollama: false,
    help: 'Whether answers draft tokens that repeat earlier text and verify several in one pass; the option speculate switches it off for one request.',
  }),
  adaptThreads: setting(flag, {
    default: 'true',
    ollama: false,
    help: 'Whether a model computes with fewer threads while other programs need the processors; num_thread is then the maximum.',
  }),
  flashAttention: setting(triState, {
    default: 'auto',
    ollama: true,
    help: 'Flash attention; auto = the engine decides.',
  }),
  kvCacheType: setting(kvCacheType, {
    default: 'f16',
    ollama: true,
    help: 'KV cache data type. A model that cannot use a quantized type uses f16.',
  }),
  kvCacheTypeK: setting(kvCacheTypeOrSame, {
    default: 'same',
    ollama: false,
    help: 'Data type of the keys in the KV cache; same = kv_cache_type.',
  }),
  kvCacheTypeV: setting(kvCacheTypeOrSame, {
    default: 'same',
    ollama: false,
    help: 'Data type of the values in the KV cache; same = kv_cache_type; quantized types require flash attention.',
  }),
  backend: setting(engineBuild, {
    default: 'auto',
    ollama: 'LLM_LIBRARY',
    aliases: ['llmLibrary'],
    help: 'Backend to use; auto = the GPU backends that are found, then the CPU.',
  }),
  backends: setting(path, {
    default: '~/.hearth/backends',
    ollama: false,
    help: 'Folder of GPU backends: `hearth backend add` installs into it, and ggml backends that you built, such as libggml-hip.so, are used first.',
  }),
  sandbox: setting(flag, {
    default: 'true',
    ollama: false,
    help: 'Restrict runners with Landlock and seccomp where the kernel supports it (Linux); set it to false if a GPU driver fails.',
  }),
  maxBody: setting(size, {
    default: '256MiB',
    ollama: false,
    help: 'Maximum size of a request body, at most max_buffered_bodies.',
  }),
  maxBufferedBodies: setting(size, {
    default: '0',
    ollama: false,
    help: 'Maximum size of the bodies of all running requests together; further requests are rejected with status 503; one client can use three quarters of it; 0 = one eighth of the heap of the server process.',
  }),
  responseStore: setting(size, {
    default: '64MiB',
    ollama: false,
    help: 'Memory for stored responses of /v1/responses, which later requests can continue; the oldest are removed first; 0 = none are stored.',
  }),
  responseAge: setting(duration, {
    default: '1h',
    ollama: false,
    help: 'How long a response of /v1/responses is stored.',
  }),
  usage: setting(path, {
    default: '~/.hearth/usage',
    ollama: false,
    help: 'Folder of the usage log: one line for each request that ran a model, with its key, model, tokens, duration and outcome, and no text; `hearth usage` sums it up.',
  }),
  usageSize: setting(size, {
    default: '64MiB',
    ollama: false,
    help: 'Maximum size of that folder; the oldest files are removed first; 0 = nothing is recorded.',
  }),
  requestLog: setting(count, {
    default: '0',
    ollama: false,
    help: 'How many of the last requests are kept in memory with their prompts and answers, for GET /api/requests/log; users see in /api/version and in `hearth ps` that it is on; 0 = none.',
  }),
  resumeMemory: setting(size, {
    default: '64MiB',
    ollama: false,
    help: 'Memory for answers that were requested as resumable; each keeps its last 4 MiB, and the oldest finished ones are removed first; 0 = no answer is resumable.',
  }),
  resumeAge: setting(duration, {
    default: '10m',
    ollama: false,
    help: 'How long a resumable answer can be read after its end.',
  }),
  detachedTime: setting(duration, {
    default: '1h',
    ollama: false,
    help: 'How long a resumable answer is generated while no client is connected to it; then it is canceled.',
  }),
  chats: setting(folderChoice, {
    default: 'auto',
    ollama: false,
    help: 'Folder for the conversations of the web page; each key has its own, and only the user of the server can read them; auto = ~/.hearth/chats; 0 = conversations are not stored.',
  }),
  chatSize: setting(size, {
    default: '16MiB',
    ollama: false,
    help: 'Maximum size of a stored conversation, with its images.',
  }),
  maxChats: setting(count, {
    default: '5000',
    ollama: false,
    help: 'Maximum number of stored conversations of a key, or of all callers without keys; further ones are refused.',
  }),
  chatStorage: setting(size, {
    default: '1GiB',
    ollama: false,
    help: 'Maximum size of all stored conversations of a key, or of all callers without keys.',
  }),
  receiveTimeout: setting(duration, {
    default: '30s',
    ollama: false,
    help: 'How long a client may pause while it sends a request; then the request ends with status 408.',
  }),
  stallTimeout: setting(duration, {
    default: '2m',
    ollama: false,
    help: 'How long a client may leave its response unread; then the connection is closed.',
  }),
  shutdownGrace: setting(duration, {
    default: '5s',
    ollama: false,
    help: 'How long running requests may continue after the server received a stop signal.',
  }),
  idleExit: setting(durationOrAuto, {
    default: 'auto',
    ollama: false,
    help: 'How long the server stays without work, which is a request or a loaded model; 0 or a negative value = until it is stopped; auto = 10m for a server that a command has started in the background, otherwise until it is stopped.',
  }),
  noprune: setting(flag, {
    default: 'false',
    ollama: true,
    help: 'Do not remove unused blobs at start; by default, unused blobs older than an hour are removed.',
  }),
  nohistory: setting(flag, {
    default: 'false',
    ollama: true,
    atPrompt: true,
    help: 'Do not save the input history of `hearth run`.',
  }),
  historyFile: setting(path, {
    default: '~/.hearth/history',
    ollama: false,
    atPrompt: true,
    help: 'File for the input history of `hearth run`.',
  }),
  registry: setting(registryAddress, {
    default: 'registry.ollama.ai',
    ollama: false,
    aliases: ['library'],
    help: 'Default registry for model names without a host; prefix it with http:// if it has no TLS.',
  }),
  registryCredentials: setting(registryCredentials, {
    default: '',
    ollama: false,
    aliases: ['libraryCredentials'],
    help: 'User names and passwords for registries: host=user:password, separated by commas; write a comma inside an entry as %2C. Prefer the config file.',
  }),
  hfHome: setting(path, {
    default: '~/.cache/huggingface',
    ollama: false,
    shared: ['HF_HOME'],
    help: 'Folder of Hugging Face. Its cache, hub, is searched for models: pull hf.co/USER/REPOSITORY uses files that are there.',
  }),
  hfHubCache: setting(optionalPath, {
    default: '',
    ollama: false,
    shared: ['HF_HUB_CACHE', 'HUGGINGFACE_HUB_CACHE'],
    help: 'The Hugging Face cache, if it is another folder.',
  }),
  lmStudioModels: setting(optionalPath, {
    default: '',
    ollama: false,
    help: 'Folder of the models of LM Studio, which is searched too. Default: ~/.lmstudio/models, and ~/.cache/lm-studio/models of older versions.',
  }),
  httpsProxy: setting(proxyAddress, {
    default: '',
    ollama: false,
    shared: ['HTTPS_PROXY', 'https_proxy'],
    help: 'Proxy for registries with TLS; addresses of this machine and of private networks are reached directly.',
  }),
  httpProxy: setting(proxyAddress, {
    default: '',
    ollama: false,
    shared: ['HTTP_PROXY', 'http_proxy'],
    help: 'Proxy for registries without TLS.',
  }),
  noProxy: setting(plainText, {
    default: '',
    ollama: false,
    shared: ['NO_PROXY', 'no_proxy'],
    help: 'Hosts that are reached without a proxy, separated by commas.',
  }),
  apiVersion: setting(versionNumber, {
    default: '0.34.4',
    ollama: false,
    help: 'The version of Ollama that /api/version and pulls report. Clients and registries refuse old ones.',
  }),
  strictSpec: setting(flag, {
    default: 'false',
    ollama: false,
    help: 'Omit `message` from the last object of a chat stream, as the API document says; most SDKs need it.',
  }),
  truncateV1: setting(flag, {
    default: 'false',
    ollama: false,
    help: 'Leave out the oldest messages of a conversation on /v1 that is longer than the context, as /api/chat does; otherwise it is an error unless the request has truncation "auto".',
  }),
  strictFields: setting(flag, {
    default: 'false',
    ollama: false,
    help: 'Refuse requests with fields or options that have no effect, with status 400; otherwise the header x-hearth-ignored names them.',
  }),
  debug: setting(flag, { default: 'false', ollama: true, help: 'Log more, including the messages of llama.cpp.' }),
  logFormat: setting(oneOf('text', 'json'), {
    default: 'text',
    ollama: false,
    help: 'Log format: text for people, json for one JSON object per line.',
  }),
} satisfies Record<string, Setting<unknown>>;

export type SettingKey = keyof typeof settingTable;
export type Settings = {
  readonly [Key in SettingKey]: (typeof settingTable)[Key] extends Setting<infer T> ? T : never;
};

export const settingKeys = Object.keys(settingTable) as SettingKey[];
/** Settings that `serve` has a flag for. */
export const serverSettingKeys = settingKeys.filter((key) => !rowOf(key).atPrompt);

function rowOf(key: SettingKey): Setting<unknown> {
  return settingTable[key];
}

function snakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Name in the config file. */
export function fileName(key: SettingKey): string {
  return snakeCase(key);
}

export function environmentName(key: SettingKey): string {
  return `HEARTH_${fileName(key).toUpperCase()}`;
}

function ollamaName(key: SettingKey): string | undefined {
  const { ollama } = rowOf(key);
  if (ollama === false) return undefined;
  return `OLLAMA_${ollama === true ? fileName(key).toUpperCase() : ollama}`;
}

/** The documented variables, in order of precedence. */
export function environmentNames(key: SettingKey): string[] {
  const ollama = ollamaName(key);
  return [environmentName(key), ...(ollama === undefined ? [] : [ollama]), ...(rowOf(key).shared ?? [])];
}

export function flagName(key: SettingKey): string {
  return fileName(key).replaceAll('_', '-');
}

/** Undocumented older names of a setting: in the file, in the environment, and as a flag. */
export function aliasesOf(key: SettingKey): { readonly key: string; readonly file: string; readonly flag: string }[] {
  return (rowOf(key).aliases ?? []).map((alias) => ({
    key: alias,
    file: snakeCase(alias),
    flag: snakeCase(alias).replaceAll('_', '-'),
  }));
}
