// Uploads one blob to a registry. A blob that exists is skipped; one in another repository of the registry is mounted;
// otherwise it is sent in chunks. After a failure, the upload resumes at the offset that the registry reports.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Digest } from '../../../base/digest.ts';
import { messageOf, toHearthError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { RegistryResponse } from '../http/http-client.ts';
import { commitStallTimeout, uploadChunk } from '../http/limits.ts';
import { isPermanentNetworkError } from '../http/network-error.ts';
import { toResponseError } from '../http/read-response.ts';
import { registryFailure, retryUntilDone } from '../http/retry.ts';
import { type RegistrySession, resolveLocation } from '../session/registry-session.ts';

export interface UploadInput {
  readonly session: RegistrySession;
  readonly blob: { readonly digest: Digest; readonly size: number };
  /** The local file. */
  readonly path: string;
  /** Another repository of the same registry that may have the blob. */
  readonly mountFrom?: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called with the number of bytes sent. */
  readonly onSent: (bytes: number) => void;
  readonly chunkSize?: number;
}

interface OpenUpload {
  /** URL of the next request. */
  readonly target: URL;
  readonly offset: number;
}

export async function uploadBlob(input: UploadInput): Promise<void> {
  const { clock, signal, blob, onSent } = input;
  const partHashes: Buffer[] = [];
  let upload: OpenUpload | undefined;
  let maxOffset = 0;
  let contacted = false;
  const attempt = async (): Promise<boolean> => {
    if (await hasRemoteBlob(input, contacted)) return true;
    contacted = true;
    // The registry cannot report the offset of parts that went to another host.
    upload = upload && partHashes.length === 0 ? await resume(input, upload) : undefined;
    partHashes.length = 0;
    // Bytes received before an interruption count as progress, so that an unstable connection still gets through.
    maxOffset = Math.max(maxOffset, upload?.offset ?? 0);
    upload ??= await begin(input);
    if (upload === undefined) return true;
    while (upload.offset < blob.size) {
      upload = await sendChunk(input, upload, partHashes);
      maxOffset = Math.max(maxOffset, upload.offset);
    }
    await commit(input, upload, partHashes);
    return true;
  };
  await retryUntilDone({ clock, signal }, attempt, () => maxOffset);
  onSent(blob.size);
}

async function hasRemoteBlob({ session, blob, signal }: UploadInput, contacted: boolean): Promise<boolean> {
  try {
    const response = await session.send({ method: 'HEAD', target: `blobs/${blob.digest}`, signal });
    response.drop();
    return response.status === 200;
  } catch (error) {
    // If the first request fails permanently, the registry does not exist.
    throw !contacted && isPermanentNetworkError(error) ? registryFailure(messageOf(error), { final: true }) : error;
  }
}

/** Undefined if the blob was mounted. */
async function begin({ session, blob, mountFrom, signal }: UploadInput): Promise<OpenUpload | undefined> {
  const post = (query: string): Promise<RegistryResponse> =>
    session.send({
      method: 'POST',
      target: `blobs/uploads/${query}`,
      headers: { 'content-length': '0' },
      signal,
    });
  const mounted = mountFrom === undefined ? undefined : await mount(post, blob.digest, mountFrom);
  const response = mounted ?? (await post(''));
  if (response.status === 201) {
    response.drop();
    return undefined;
  }
  if (response.status !== 202) throw await toUploadError(session, response);
  return { target: nextLocation(session, response), offset: 0 };
}

/** Undefined if the mount was rejected; then the blob is sent. */
async function mount(
  post: (query: string) => Promise<RegistryResponse>,
  digest: Digest,
  from: string,
): Promise<RegistryResponse | undefined> {
  try {
    const response = await post(`?${new URLSearchParams({ mount: digest, from })}`);
    if (response.status < 400 || response.status >= 500) return response;
    response.drop();
  } catch (error) {
    if (toHearthError(error).code !== 'registry_denied') throw error;
  }
  return undefined;
}

/** Asks for the current offset; undefined if the registry does not know the upload any more. */
async function resume({ session, signal }: UploadInput, { target }: OpenUpload): Promise<OpenUpload | undefined> {
  const response = await session.send({ method: 'GET', target, signal });
  response.drop();
  const last = /^(?:bytes=)?0-(\d{1,16})$/.exec(response.header('range') ?? '')?.[1];
  if (response.status !== 204 || last === undefined) return undefined;
  // "0-0" means one byte or none.
  return { target: nextLocation(session, response, target), offset: last === '0' ? 0 : Number(last) + 1 };
}

async function sendChunk(input: UploadInput, { target, offset }: OpenUpload, hashes: Buffer[]): Promise<OpenUpload> {
  const { session, blob, signal, chunkSize = uploadChunk } = input;
  const end = Math.min(offset + chunkSize, blob.size);
  const headers = {
    'content-type': 'application/octet-stream',
    'content-length': String(end - offset),
    'content-range': `${offset}-${end - 1}`,
    // Allows a registry with separate storage to redirect the upload.
    'x-redirect-uploads': '1',
  };
  const body = () => bytesOf(input, offset, end);
  const response = await session.send({ method: 'PATCH', target, headers, body, signal });
  if (response.status === 307) {
    response.drop();
    const storageUrl = resolveLocation(response.header('location'), target, session.repository);
    const next = resolveLocation(response.header('docker-upload-location'), target, session.repository);
    await sendToStorage(input, { storageUrl, offset, end });
    hashes.push(await md5Of(input, offset, end));
    return { target: next, offset: end };
  }
  if (response.status < 200 || response.status > 299) throw await toUploadError(session, response);
  return { target: nextLocation(session, response, target), offset: end };
}

async function sendToStorage(
  input: UploadInput,
  { storageUrl, offset, end }: { readonly storageUrl: URL; readonly offset: number; readonly end: number },
): Promise<void> {
  const headers = { 'content-type': 'application/octet-stream', 'content-length': String(end - offset) };
  const body = () => bytesOf(input, offset, end);
  const response = await input.session.send({
    method: 'PUT',
    target: storageUrl,
    headers,
    body,
    signal: input.signal,
  });
  if (response.status < 200 || response.status > 299) throw await toUploadError(input.session, response);
  response.drop();
}

async function commit(input: UploadInput, { target }: OpenUpload, hashes: readonly Buffer[]): Promise<void> {
  const { session, blob, signal } = input;
  const url = new URL(target);
  url.searchParams.set('digest', blob.digest);
  if (hashes.length > 0) {
    const combined = createHash('md5').update(Buffer.concat(hashes)).digest('hex');
    url.searchParams.set('etag', `${combined}-${hashes.length}`);
  }
  const headers = { 'content-length': '0' };
  // The registry may read the entire blob again to compute the digest.
  const response = await session.send({
    method: 'PUT',
    target: url,
    headers,
    stallTimeout: commitStallTimeout,
    signal,
  });
  if (response.status < 200 || response.status > 299) throw await toUploadError(session, response);
  response.drop();
}

async function* bytesOf({ path, onSent }: UploadInput, start: number, end: number): AsyncGenerator<Buffer> {
  let at = start;
  const stream: AsyncIterable<Buffer> = createReadStream(path, { start, end: end - 1, highWaterMark: 2 ** 18 });
  for await (const chunk of stream) {
    yield chunk;
    at += chunk.byteLength;
    onSent(at);
  }
}

async function md5Of({ path }: UploadInput, start: number, end: number): Promise<Buffer> {
  const hash = createHash('md5');
  for await (const chunk of createReadStream(path, { start, end: end - 1 })) hash.update(chunk as Buffer);
  return hash.digest();
}

function nextLocation(session: RegistrySession, response: RegistryResponse, current?: URL): URL {
  response.drop();
  const location = response.header('docker-upload-location') ?? response.header('location');
  if (location === undefined && current !== undefined) return current;
  return resolveLocation(location, response.url, session.repository);
}

/** After 404 and 416 the upload can be restarted. */
async function toUploadError({ repository }: RegistrySession, response: RegistryResponse): Promise<Error> {
  const { origin } = repository.registry;
  const error = await toResponseError(response, { what: new URL(origin).host, origin });
  const canRestart = response.status === 404 || response.status === 416;
  return canRestart ? registryFailure(error.message) : error;
}
