// A typed client of the HTTP API. A signal cancels a call; leaving the loop over a stream cancels it, too.

import type { Digest } from '../base/digest.ts';
import type { CreateKeyRequestBody, KeysResponseBody, NewKeyResponseBody } from '../features/keys/keys-schema.ts';
import type {
  AddRemoteRequestBody,
  CheckRemoteResponseBody,
  RemoteBody,
  RemotesResponseBody,
} from '../features/remotes/remotes-schema.ts';
import type { UsageResponseBody } from '../features/usage/usage-schema.ts';
import type { DevicesResponseBody } from '../server/dialects/hearth/status/devices-schema.ts';
import type { KeyResponseBody } from '../server/dialects/hearth/status/key-schema.ts';
import type { VerifyRequestBody, VerifyResponseBody } from '../server/dialects/hearth/status/verify-schema.ts';
import type { ChatRequestBody, ChatResponseBody } from '../server/dialects/ollama/generation/chat-schema.ts';
import type { EmbedRequestBody, EmbedResponseBody } from '../server/dialects/ollama/generation/embed-schema.ts';
import type {
  GenerateRequestBody,
  GenerateResponseBody,
} from '../server/dialects/ollama/generation/generate-schema.ts';
import type { CreateRequestBody } from '../server/dialects/ollama/models/create-schema.ts';
import type { ShowRequestBody, ShowResponseBody } from '../server/dialects/ollama/models/show-schema.ts';
import type { TagsResponseBody } from '../server/dialects/ollama/models/tags-schema.ts';
import type { PsResponseBody } from '../server/dialects/ollama/status/ps-schema.ts';
import type { VersionResponseBody } from '../server/dialects/ollama/status/version-schema.ts';
import type { ProgressResponseBody } from '../server/dialects/ollama/transfer/progress-schema.ts';
import type { PullRequestBody, TransferRequestBody } from '../server/dialects/ollama/transfer/transfer-schema.ts';
import { ClientError } from './client-error.ts';
import { checkStatus, readJson, readObjects } from './read-body.ts';
import { createTransport, type TransportOptions, type TransportRequest, type TransportResponse } from './transport.ts';

interface BlobUpload {
  readonly source: AsyncIterable<Uint8Array>;
  readonly bytes: number;
}

/** Need a key with the scope admin. */
export interface KeyCalls {
  list(signal?: AbortSignal): Promise<KeysResponseBody>;
  create(request: CreateKeyRequestBody, signal?: AbortSignal): Promise<NewKeyResponseBody>;
  revoke(name: string, signal?: AbortSignal): Promise<void>;
  rotate(name: string, signal?: AbortSignal): Promise<NewKeyResponseBody>;
}

/** Need a key with the scope admin. */
interface RemoteAdminCalls {
  list(signal?: AbortSignal): Promise<RemotesResponseBody>;
  add(request: AddRemoteRequestBody, signal?: AbortSignal): Promise<RemoteBody>;
  /** `url`: removes only this endpoint. */
  remove(name: string, url: string | undefined, signal?: AbortSignal): Promise<void>;
  check(name: string, signal?: AbortSignal): Promise<CheckRemoteResponseBody>;
}

/** Parameters of GET /api/usage. */
type UsageQuery = Readonly<Partial<Record<'by' | 'since', string>>>;

export interface HearthClient {
  /** The address of the server. */
  readonly url: string;
  /** The key that the client sends, if it has one. */
  readonly apiKey: string | undefined;
  version(signal?: AbortSignal): Promise<VersionResponseBody>;
  list(signal?: AbortSignal): Promise<TagsResponseBody>;
  ps(signal?: AbortSignal): Promise<PsResponseBody>;
  devices(signal?: AbortSignal): Promise<DevicesResponseBody>;
  usage(query: UsageQuery, signal?: AbortSignal): Promise<UsageResponseBody>;
  /** Only on the machine of the server. */
  key(signal?: AbortSignal): Promise<KeyResponseBody>;
  show(request: ShowRequestBody, signal?: AbortSignal): Promise<ShowResponseBody>;
  copy(source: string, destination: string, signal?: AbortSignal): Promise<void>;
  remove(model: string, signal?: AbortSignal): Promise<void>;
  hasBlob(digest: Digest, signal?: AbortSignal): Promise<boolean>;
  uploadBlob(digest: Digest, upload: BlobUpload, signal?: AbortSignal): Promise<void>;
  /** The next four end with the status `success`. */
  create(request: CreateRequestBody, signal?: AbortSignal): AsyncGenerator<ProgressResponseBody>;
  pull(request: PullRequestBody, signal?: AbortSignal): AsyncGenerator<ProgressResponseBody>;
  push(request: TransferRequestBody, signal?: AbortSignal): AsyncGenerator<ProgressResponseBody>;
  verify(request: VerifyRequestBody, signal?: AbortSignal): AsyncGenerator<VerifyResponseBody>;
  /** The next two end with an object that is `done`. */
  generate(request: GenerateRequestBody, signal?: AbortSignal): AsyncGenerator<GenerateResponseBody>;
  chat(request: ChatRequestBody, signal?: AbortSignal): AsyncGenerator<ChatResponseBody>;
  embed(request: EmbedRequestBody, signal?: AbortSignal): Promise<EmbedResponseBody>;
  readonly keys: KeyCalls;
  readonly remotes: RemoteAdminCalls;
  /** Closes idle connections. */
  close(): void;
}

const isSuccess = ({ status }: { readonly status: string }): boolean => status === 'success';
const isDone = ({ done }: { readonly done: boolean }): boolean => done;

type CallRequest = Omit<TransportRequest, 'signal'>;

export function createClient(url: string, options: TransportOptions = {}): HearthClient {
  const transport = createTransport(url, options);

  const send = async (request: CallRequest, signal?: AbortSignal): Promise<TransportResponse> => {
    const response = await transport.send({ ...request, ...(signal === undefined ? {} : { signal }) });
    await checkStatus(response, readOptions(signal));
    return response;
  };
  const readOptions = (signal?: AbortSignal) => ({ url, ...(signal === undefined ? {} : { signal }) });
  const get = async <T>(path: string, signal?: AbortSignal): Promise<T> =>
    readJson<T>(await send({ method: 'GET', path }, signal), readOptions(signal));
  const post = async <T>(path: string, body: object, signal?: AbortSignal): Promise<T> =>
    readJson<T>(await send({ method: 'POST', path, body }, signal), readOptions(signal));
  const sendOnly = async (request: CallRequest, signal?: AbortSignal): Promise<void> => {
    (await send(request, signal)).body.resume();
  };
  const stream = async function* <T extends object>(
    path: string,
    body: object,
    { isLast, signal }: { isLast: (object: T) => boolean; signal: AbortSignal | undefined },
  ): AsyncGenerator<T> {
    const response = await send({ method: 'POST', path, body }, signal);
    yield* readObjects(response, { ...readOptions(signal), isLast });
  };

  return {
    url,
    apiKey: options.key,
    version: (signal) => get('/api/version', signal),
    list: (signal) => get('/api/tags', signal),
    ps: (signal) => get('/api/ps', signal),
    devices: (signal) => get('/api/devices', signal),
    usage: (query, signal) => get(`/api/usage?${new URLSearchParams(query)}`, signal),
    key: (signal) => get('/api/key', signal),
    show: (request, signal) => post('/api/show', request, signal),
    copy: (source, destination, signal) =>
      sendOnly({ method: 'POST', path: '/api/copy', body: { source, destination } }, signal),
    remove: (model, signal) => sendOnly({ method: 'DELETE', path: '/api/delete', body: { model } }, signal),
    async hasBlob(digest, signal) {
      try {
        await sendOnly({ method: 'HEAD', path: `/api/blobs/${digest}` }, signal);
        return true;
      } catch (error) {
        if (error instanceof ClientError && error.status === 404) return false;
        throw error;
      }
    },
    uploadBlob: (digest, upload, signal) => sendOnly({ method: 'POST', path: `/api/blobs/${digest}`, upload }, signal),
    create: (request, signal) => stream<ProgressResponseBody>('/api/create', request, { isLast: isSuccess, signal }),
    pull: (request, signal) => stream<ProgressResponseBody>('/api/pull', request, { isLast: isSuccess, signal }),
    push: (request, signal) => stream<ProgressResponseBody>('/api/push', request, { isLast: isSuccess, signal }),
    verify: (request, signal) => stream<VerifyResponseBody>('/api/verify', request, { isLast: isSuccess, signal }),
    generate: (request, signal) => stream<GenerateResponseBody>('/api/generate', request, { isLast: isDone, signal }),
    chat: (request, signal) => stream<ChatResponseBody>('/api/chat', request, { isLast: isDone, signal }),
    embed: (request, signal) => post('/api/embed', request, signal),
    keys: {
      list: (signal) => get('/api/keys', signal),
      create: (request, signal) => post('/api/keys', request, signal),
      revoke: (name, signal) => sendOnly({ method: 'DELETE', path: `/api/keys/${encodeURIComponent(name)}` }, signal),
      rotate: (name, signal) => post(`/api/keys/${encodeURIComponent(name)}/rotate`, {}, signal),
    },
    remotes: {
      list: (signal) => get('/api/remotes', signal),
      add: (request, signal) => post('/api/remotes', request, signal),
      remove(name, url, signal) {
        const query = url === undefined ? '' : `?${new URLSearchParams({ url })}`;
        return sendOnly({ method: 'DELETE', path: `/api/remotes/${encodeURIComponent(name)}${query}` }, signal);
      },
      check: (name, signal) => post(`/api/remotes/${encodeURIComponent(name)}/check`, {}, signal),
    },
    close: () => transport.close(),
  };
}
