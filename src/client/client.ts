// A typed client of the HTTP API. A signal cancels a call; leaving the loop over a stream cancels it, too.

import type { Readable } from 'node:stream';
import type { Digest } from '../base/digest.ts';
import type { CachesResponseBody } from '../features/caches/caches-schema.ts';
import type { CatalogueResponseBody } from '../features/catalogue/catalogue-schema.ts';
import type { StoredEvalResponseBody, StoreEvalRequestBody } from '../features/eval/evals-schema.ts';
import type { ImatrixRequestBody, ImatrixResponseBody } from '../features/imatrix/imatrix-schema.ts';
import type { DeviceKeyBody, DeviceKeyRequestBody, DeviceSignInBody } from '../features/keys/device-sign-in-schema.ts';
import type { CreateKeyRequestBody, KeysResponseBody, NewKeyResponseBody } from '../features/keys/keys-schema.ts';
import type { SessionResponseBody } from '../features/keys/session-schema.ts';
import type { McpResponseBody } from '../features/mcp/mcp-schema.ts';
import type {
  AddRemoteRequestBody,
  CheckRemoteResponseBody,
  RemoteBody,
  RemotesResponseBody,
} from '../features/remotes/remotes-schema.ts';
import type { UserRequestBody, UsersResponseBody } from '../features/sign-in/users-schema.ts';
import type { UsageResponseBody } from '../features/usage/usage-schema.ts';
import type { CompareRequestBody, CompareResponseBody } from '../server/dialects/hearth/generation/compare-schema.ts';
import type { ScoreRequestBody, ScoreResponseBody } from '../server/dialects/hearth/generation/score-schema.ts';
import type { DevicesResponseBody } from '../server/dialects/hearth/status/devices-schema.ts';
import type { KeyResponseBody } from '../server/dialects/hearth/status/key-schema.ts';
import type { PullsResponseBody } from '../server/dialects/hearth/status/pulls-schema.ts';
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
import type { PullRequestBody, PushRequestBody } from '../server/dialects/ollama/transfer/transfer-schema.ts';
import { createBatchCalls } from './batch-calls.ts';
import { ClientError, foreignProgram } from './client-error.ts';
import { checkStatus, readJson, readObjectStream } from './read-body.ts';
import {
  createTransport,
  type TransportOptions,
  type TransportRequest,
  type TransportResponse,
  type UploadSource,
} from './transport.ts';

/** Need a key with the scope admin. */
export interface KeyCalls {
  list(signal?: AbortSignal): Promise<KeysResponseBody>;
  create(request: CreateKeyRequestBody, signal?: AbortSignal): Promise<NewKeyResponseBody>;
  revoke(name: string, signal?: AbortSignal): Promise<void>;
  rotate(name: string, signal?: AbortSignal): Promise<NewKeyResponseBody>;
}

/** Need a key with the scope admin. */
interface UserCalls {
  list(signal?: AbortSignal): Promise<UsersResponseBody>;
  change(name: string, request: UserRequestBody, signal?: AbortSignal): Promise<void>;
  remove(name: string, signal?: AbortSignal): Promise<void>;
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

const isSuccess = ({ status }: { readonly status: string }): boolean => status === 'success';
const isDone = ({ done }: { readonly done: boolean }): boolean => done;

type CallRequest = Omit<TransportRequest, 'signal'>;

export function createClient(url: string, options: TransportOptions = {}) {
  const transport = createTransport(url, options);

  const send = async (request: CallRequest, signal?: AbortSignal): Promise<TransportResponse> => {
    const response = await transport.send({ ...request, signal });
    await checkStatus(response, { url, signal });
    return response;
  };
  const get = async <T>(path: string, signal?: AbortSignal): Promise<T> =>
    readJson<T>(await send({ method: 'GET', path }, signal), { url, signal });
  const post = async <T>(path: string, body: object, signal?: AbortSignal): Promise<T> =>
    readJson<T>(await send({ method: 'POST', path, body }, signal), { url, signal });
  const sendOnly = async (request: CallRequest, signal?: AbortSignal): Promise<void> => {
    (await send(request, signal)).body.resume();
  };
  const stream = async function* <T extends object>(
    path: string,
    body: object,
    { isLast, signal }: { isLast: (object: T) => boolean; signal: AbortSignal | undefined },
  ): AsyncGenerator<T> {
    const response = await send({ method: 'POST', path, body }, signal);
    yield* readObjectStream(response, { url, signal, isLast });
  };

  return {
    /** The address of the server. */
    url,
    /** The key that the client sends, if it has one. */
    apiKey: options.key,
    /** Throws a `foreign` error for another program. */
    version: (signal?: AbortSignal) => checkVersion(url, get<VersionResponseBody>('/api/version', signal)),
    list: (signal?: AbortSignal) => get<TagsResponseBody>('/api/tags', signal),
    /** Models in the folders of other programs. */
    caches: (signal?: AbortSignal) => get<CachesResponseBody>('/api/caches', signal),
    ps: (signal?: AbortSignal) => get<PsResponseBody>('/api/ps', signal),
    pulls: (signal?: AbortSignal) => get<PullsResponseBody>('/api/pulls', signal),
    devices: (signal?: AbortSignal) => get<DevicesResponseBody>('/api/devices', signal),
    usage: (query: UsageQuery, signal?: AbortSignal) => get<UsageResponseBody>(`/api/usage?${toQuery(query)}`, signal),
    /** Only on the machine of the server. */
    key: (signal?: AbortSignal) => get<KeyResponseBody>('/api/key', signal),
    show: (request: ShowRequestBody, signal?: AbortSignal) => post<ShowResponseBody>('/api/show', request, signal),
    copy: (source: string, destination: string, signal?: AbortSignal) =>
      sendOnly({ method: 'POST', path: '/api/copy', body: { source, destination } }, signal),
    catalogue: (query: { readonly q: string; readonly online: string }, signal?: AbortSignal) =>
      get<CatalogueResponseBody>(`/api/catalogue?${new URLSearchParams(query)}`, signal),
    remove: (model: string, signal?: AbortSignal) =>
      sendOnly({ method: 'DELETE', path: '/api/delete', body: { model } }, signal),
    async hasBlob(digest: Digest, signal?: AbortSignal): Promise<boolean> {
      try {
        await sendOnly({ method: 'HEAD', path: `/api/blobs/${digest}` }, signal);
        return true;
      } catch (error) {
        if (error instanceof ClientError && error.status === 404) return false;
        throw error;
      }
    },
    uploadBlob: (digest: Digest, upload: UploadSource, signal?: AbortSignal) =>
      sendOnly({ method: 'POST', path: `/api/blobs/${digest}`, upload }, signal),
    /** The next six end with the status `success`. */
    create: (request: CreateRequestBody, signal?: AbortSignal) =>
      stream<ProgressResponseBody>('/api/create', request, { isLast: isSuccess, signal }),
    pull: (request: PullRequestBody, signal?: AbortSignal) =>
      stream<ProgressResponseBody>('/api/pull', request, { isLast: isSuccess, signal }),
    push: (request: PushRequestBody, signal?: AbortSignal) =>
      stream<ProgressResponseBody>('/api/push', request, { isLast: isSuccess, signal }),
    verify: (request: VerifyRequestBody, signal?: AbortSignal) =>
      stream<VerifyResponseBody>('/api/verify', request, { isLast: isSuccess, signal }),
    compare: (request: CompareRequestBody, signal?: AbortSignal) =>
      stream<CompareResponseBody>('/api/compare', request, { isLast: isSuccess, signal }),
    computeImatrix: (request: ImatrixRequestBody, signal?: AbortSignal) =>
      stream<ImatrixResponseBody>('/api/imatrix', request, { isLast: isSuccess, signal }),
    /** The file of an importance matrix. */
    imatrix: async (digest: string, signal?: AbortSignal): Promise<Readable> =>
      (await send({ method: 'GET', path: `/api/imatrix/${digest}` }, signal)).body,
    storeEval: (request: StoreEvalRequestBody, signal?: AbortSignal) =>
      post<StoredEvalResponseBody>('/api/evals', request, signal),
    /** The next two end with an object that is `done`. */
    generate: (request: GenerateRequestBody, signal?: AbortSignal) =>
      stream<GenerateResponseBody>('/api/generate', request, { isLast: isDone, signal }),
    /** The prompt that the model would be given. */
    renderPrompt: async (request: ChatRequestBody, signal?: AbortSignal): Promise<string> => {
      const body = { ...request, stream: false, _debug_render_only: true };
      return (await post<ChatResponseBody>('/api/chat', body, signal))._debug_info?.rendered_template ?? '';
    },
    chat: (request: ChatRequestBody, signal?: AbortSignal) =>
      stream<ChatResponseBody>('/api/chat', request, { isLast: isDone, signal }),
    score: (request: ScoreRequestBody, signal?: AbortSignal) => post<ScoreResponseBody>('/api/score', request, signal),
    embed: (request: EmbedRequestBody, signal?: AbortSignal) => post<EmbedResponseBody>('/api/embed', request, signal),
    keys: createKeyCalls({ get, post, sendOnly }),
    session: createSessionCalls({ get, post, sendOnly }),
    users: createUserCalls({ get, post, sendOnly }),
    remotes: createRemoteCalls({ get, post, sendOnly }),
    mcp: (signal?: AbortSignal) => get<McpResponseBody>('/api/mcp', signal),
    batches: createBatchCalls({ url, get, post, send }),
    /** Closes idle connections. */
    close: () => transport.close(),
  };
}

export type HearthClient = ReturnType<typeof createClient>;

/** Requests with one answer. */
interface Calls {
  readonly get: <T>(path: string, signal?: AbortSignal) => Promise<T>;
  readonly post: <T>(path: string, body: object, signal?: AbortSignal) => Promise<T>;
  readonly sendOnly: (request: CallRequest, signal?: AbortSignal) => Promise<void>;
}

function createKeyCalls({ get, post, sendOnly }: Calls): KeyCalls {
  const pathOf = (name: string): string => `/api/keys/${encodeURIComponent(name)}`;
  return {
    list: (signal) => get('/api/keys', signal),
    create: (request, signal) => post('/api/keys', request, signal),
    revoke: (name, signal) => sendOnly({ method: 'DELETE', path: pathOf(name) }, signal),
    rotate: (name, signal) => post(`${pathOf(name)}/rotate`, {}, signal),
  };
}

function createSessionCalls({ get, post, sendOnly }: Calls) {
  return {
    show: (signal?: AbortSignal) => get<SessionResponseBody>('/api/session', signal),
    beginSignIn: (signal?: AbortSignal) => post<DeviceSignInBody>('/api/sign-in/device', {}, signal),
    endSignIn: (request: DeviceKeyRequestBody, signal?: AbortSignal) =>
      post<DeviceKeyBody>('/api/sign-in/device/key', request, signal),
    revokeOwnKey: (name: string, signal?: AbortSignal) =>
      sendOnly({ method: 'DELETE', path: `/api/session/keys/${encodeURIComponent(name)}` }, signal),
  };
}

function createUserCalls({ get, post, sendOnly }: Calls): UserCalls {
  const pathOf = (name: string): string => `/api/users/${encodeURIComponent(name)}`;
  return {
    list: (signal) => get('/api/users', signal),
    change: (name, request, signal) => post(pathOf(name), request, signal),
    remove: (name, signal) => sendOnly({ method: 'DELETE', path: pathOf(name) }, signal),
  };
}

function createRemoteCalls({ get, post, sendOnly }: Calls): RemoteAdminCalls {
  const pathOf = (name: string): string => `/api/remotes/${encodeURIComponent(name)}`;
  return {
    list: (signal) => get('/api/remotes', signal),
    add: (request, signal) => post('/api/remotes', request, signal),
    remove(name, url, signal) {
      const query = url === undefined ? '' : `?${new URLSearchParams({ url })}`;
      return sendOnly({ method: 'DELETE', path: `${pathOf(name)}${query}` }, signal);
    },
    check: (name, signal) => post(`${pathOf(name)}/check`, {}, signal),
  };
}

async function checkVersion(url: string, answer: Promise<VersionResponseBody>): Promise<VersionResponseBody> {
  try {
    const body = await answer;
    if (typeof body.version === 'string') return body;
  } catch (error) {
    if (!(error instanceof ClientError) || error.status !== 404) throw error;
  }
  throw foreignProgram(url, 'has no /api/version');
}

/** Without fields that are undefined, which would become text. */
function toQuery(fields: UsageQuery): URLSearchParams {
  return new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== undefined));
}
