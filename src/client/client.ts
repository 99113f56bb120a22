// The API of a server, as functions. Every call can be given up by its signal; a stream also by leaving its loop.

import type { Digest } from '../base/digest.ts';
import type { ChatRequest, ChatResponse } from '../server/dialects/ollama/generation/chat-schema.ts';
import type { EmbedRequest, EmbedResponse } from '../server/dialects/ollama/generation/embed-schema.ts';
import type { GenerateRequest, GenerateResponse } from '../server/dialects/ollama/generation/generate-schema.ts';
import type { CreateRequest, StatusResponse } from '../server/dialects/ollama/models/create-schema.ts';
import type { PullRequest } from '../server/dialects/ollama/models/pull-schema.ts';
import type { PushRequest } from '../server/dialects/ollama/models/push-schema.ts';
import type { ShowRequest, ShowResponse } from '../server/dialects/ollama/models/show-schema.ts';
import type { TagsResponse } from '../server/dialects/ollama/models/tags-schema.ts';
import type { VerifyRequest, VerifyResponse } from '../server/dialects/ollama/models/verify-schema.ts';
import type { PsResponse } from '../server/dialects/ollama/status/ps-schema.ts';
import type { VersionResponse } from '../server/dialects/ollama/status/version-schema.ts';
import { ClientError } from './client-error.ts';
import { checkAnswer, readJson, readObjects } from './read-body.ts';
import { type Answer, createTransport, type Exchange } from './transport.ts';

export interface BlobUpload {
  readonly source: AsyncIterable<Uint8Array>;
  readonly bytes: number;
}

export interface HearthClient {
  /** Where the server is said to be. */
  readonly url: string;
  version(signal?: AbortSignal): Promise<VersionResponse>;
  list(signal?: AbortSignal): Promise<TagsResponse>;
  ps(signal?: AbortSignal): Promise<PsResponse>;
  show(request: ShowRequest, signal?: AbortSignal): Promise<ShowResponse>;
  copy(source: string, destination: string, signal?: AbortSignal): Promise<void>;
  remove(model: string, signal?: AbortSignal): Promise<void>;
  hasBlob(digest: Digest, signal?: AbortSignal): Promise<boolean>;
  uploadBlob(digest: Digest, upload: BlobUpload, signal?: AbortSignal): Promise<void>;
  /** These end with the status `success`. */
  create(request: CreateRequest, signal?: AbortSignal): AsyncGenerator<StatusResponse>;
  pull(request: PullRequest, signal?: AbortSignal): AsyncGenerator<StatusResponse>;
  push(request: PushRequest, signal?: AbortSignal): AsyncGenerator<StatusResponse>;
  verify(request: VerifyRequest, signal?: AbortSignal): AsyncGenerator<VerifyResponse>;
  /** These end with an object that is `done`. */
  generate(request: GenerateRequest, signal?: AbortSignal): AsyncGenerator<GenerateResponse>;
  chat(request: ChatRequest, signal?: AbortSignal): AsyncGenerator<ChatResponse>;
  embed(request: EmbedRequest, signal?: AbortSignal): Promise<EmbedResponse>;
  /** Lets go of the connections that were kept. */
  close(): void;
}

const isSuccess = ({ status }: { readonly status: string }): boolean => status === 'success';
const isDone = ({ done }: { readonly done: boolean }): boolean => done;

export function createClient(url: string): HearthClient {
  const transport = createTransport(url);

  const send = async (exchange: Omit<Exchange, 'signal'>, signal?: AbortSignal): Promise<Answer> => {
    const answer = await transport.send({ ...exchange, ...(signal === undefined ? {} : { signal }) });
    await checkAnswer(answer, reading(signal));
    return answer;
  };
  const reading = (signal?: AbortSignal) => ({ url, ...(signal === undefined ? {} : { signal }) });
  const get = async <T>(path: string, signal?: AbortSignal): Promise<T> =>
    readJson<T>(await send({ method: 'GET', path }, signal), reading(signal));
  const forget = async (exchange: Omit<Exchange, 'signal'>, signal?: AbortSignal): Promise<void> => {
    (await send(exchange, signal)).body.resume();
  };
  const stream = async function* <T extends object>(
    path: string,
    body: object,
    { isLast, signal }: { isLast: (object: T) => boolean; signal: AbortSignal | undefined },
  ): AsyncGenerator<T> {
    const answer = await send({ method: 'POST', path, body }, signal);
    yield* readObjects(answer, { ...reading(signal), isLast });
  };

  return {
    url,
    version: (signal) => get('/api/version', signal),
    list: (signal) => get('/api/tags', signal),
    ps: (signal) => get('/api/ps', signal),
    show: async (request, signal) =>
      readJson(await send({ method: 'POST', path: '/api/show', body: request }, signal), reading(signal)),
    copy: (source, destination, signal) =>
      forget({ method: 'POST', path: '/api/copy', body: { source, destination } }, signal),
    remove: (model, signal) => forget({ method: 'DELETE', path: '/api/delete', body: { model } }, signal),
    async hasBlob(digest, signal) {
      try {
        await forget({ method: 'HEAD', path: `/api/blobs/${digest}` }, signal);
        return true;
      } catch (error) {
        if (error instanceof ClientError && error.status === 404) return false;
        throw error;
      }
    },
    uploadBlob: (digest, upload, signal) => forget({ method: 'POST', path: `/api/blobs/${digest}`, upload }, signal),
    create: (request, signal) => stream<StatusResponse>('/api/create', request, { isLast: isSuccess, signal }),
    pull: (request, signal) => stream<StatusResponse>('/api/pull', request, { isLast: isSuccess, signal }),
    push: (request, signal) => stream<StatusResponse>('/api/push', request, { isLast: isSuccess, signal }),
    verify: (request, signal) => stream<VerifyResponse>('/api/verify', request, { isLast: isSuccess, signal }),
    generate: (request, signal) => stream<GenerateResponse>('/api/generate', request, { isLast: isDone, signal }),
    chat: (request, signal) => stream<ChatResponse>('/api/chat', request, { isLast: isDone, signal }),
    embed: async (request, signal) =>
      readJson(await send({ method: 'POST', path: '/api/embed', body: request }, signal), reading(signal)),
    close: () => transport.close(),
  };
}
