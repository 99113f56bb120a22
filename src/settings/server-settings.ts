// The settings that belong neither to the engine nor to a feature.

import {
  address,
  clientSeparation,
  duration,
  durationOrAuto,
  fileMode,
  flag,
  list,
  oneOf,
  optionalPath,
  path,
  plainText,
  proxyAddress,
  registryAddress,
  registryCredentials,
  size,
  versionNumber,
} from '../base/config/kinds.ts';
import { modelAliases } from '../base/config/model-aliases-kind.ts';
import { setting } from '../base/config/setting.ts';

export const serverSettings = {
  host: setting(address, {
    default: '127.0.0.1:11434',
    ollama: true,
    help: 'Address to listen on; a port alone, such as :11434, means all interfaces; unix:/run/hearth.sock means a Unix socket.',
  }),
  socketMode: setting(fileMode, {
    default: '0600',
    ollama: false,
    help: 'Permissions of the Unix socket; who may write to it may use the server: 0600 = the user of the server, 0660 = also its group.',
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
  page: setting(flag, {
    default: 'true',
    ollama: false,
    help: 'Whether browsers that open the address of the server get the web page.',
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
  completionsTemplate: setting(flag, {
    default: 'false',
    ollama: false,
    help: 'Make the prompts of /v1/completions messages of a user in the template of the model, as Ollama does; otherwise they are used as they are.',
  }),
  separateClients: setting(clientSeparation, {
    default: 'address',
    ollama: false,
    help: 'How callers without keys are told apart: by address, by connection, or header:NAME for a header that a trusted proxy sets. Callers that are told apart share the queue and the slots evenly, cannot see or cancel requests of each other, and share no evaluated prompts.',
  }),
  strictFields: setting(flag, {
    default: 'false',
    ollama: false,
    help: 'Refuse requests with fields or options that have no effect, with status 400; otherwise the header x-hearth-ignored names them.',
  }),
  debug: setting(flag, { default: 'false', ollama: true, help: 'Log more, including the messages of llama.cpp.' }),
  modelAliases: setting(modelAliases, {
    default: '',
    ollama: false,
    help: 'Names that stand for lists of models, such as fast=qwen3:4b,gpu/qwen3:4b: a request goes to the first model that is neither down nor busy. With weights (trial=a*9,b*1), 9 of 10 requests begin with a. In the config file a table with lists.',
  }),
  metricsScope: setting(oneOf('open', 'infer', 'manage', 'admin'), {
    default: 'admin',
    ollama: false,
    help: 'Scope of the keys that may read GET /metrics, if the server has keys; open = no key is needed. The metrics name models and keys.',
  }),
  logFormat: setting(oneOf('text', 'json'), {
    default: 'text',
    ollama: false,
    help: 'Log format: text for people, json for one JSON object per line.',
  }),
};
