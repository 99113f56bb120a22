// Calls for batches: the file of their questions, their state, and the files of their answers.

import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { BatchBody, CreateBatchRequestBody, FileBody } from '../features/batches/batches-schema.ts';
import { readJson } from './read-body.ts';
import type { TransportRequest, TransportResponse, UploadSource } from './transport.ts';

interface BatchCallParts {
  readonly url: string;
  readonly get: <T>(path: string, signal?: AbortSignal) => Promise<T>;
  readonly post: <T>(path: string, body: object, signal?: AbortSignal) => Promise<T>;
  readonly send: (request: Omit<TransportRequest, 'signal'>, signal?: AbortSignal) => Promise<TransportResponse>;
}

interface NamedUpload extends UploadSource {
  readonly name: string;
}

export function createBatchCalls({ url, get, post, send }: BatchCallParts) {
  const pathOf = (id: string): string => `/v1/batches/${encodeURIComponent(id)}`;
  return {
    async upload(file: NamedUpload, signal?: AbortSignal): Promise<FileBody> {
      const response = await send({ method: 'POST', path: '/v1/files', upload: toForm(file) }, signal);
      return readJson(response, { url, signal });
    },
    create: (request: CreateBatchRequestBody, signal?: AbortSignal) => post<BatchBody>('/v1/batches', request, signal),
    show: (id: string, signal?: AbortSignal) => get<BatchBody>(pathOf(id), signal),
    cancel: (id: string, signal?: AbortSignal) => post<BatchBody>(`${pathOf(id)}/cancel`, {}, signal),
    async content(fileId: string, signal?: AbortSignal): Promise<Readable> {
      const path = `/v1/files/${encodeURIComponent(fileId)}/content`;
      return (await send({ method: 'GET', path }, signal)).body;
    },
  };
}

/** A form with the questions of a batch. */
function toForm({ name, source, bytes }: NamedUpload): UploadSource {
  const boundary = `hearth-${randomBytes(16).toString('hex')}`;
  const quoted = name.replace(/["\r\n]/g, '_');
  const before = Buffer.from(
    `--${boundary}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n` +
      `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${quoted}"\r\n\r\n`,
  );
  const after = Buffer.from(`\r\n--${boundary}--\r\n`);
  const parts = async function* (): AsyncGenerator<Uint8Array> {
    yield before;
    yield* source;
    yield after;
  };
  return {
    source: parts(),
    bytes: before.length + bytes + after.length,
    contentType: `multipart/form-data; boundary=${boundary}`,
  };
}
