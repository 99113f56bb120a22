// Brings one blob to a library: not at all where it is there already, by a mount where another repository of the library
// has it, otherwise in chunks. After a failure the library is asked how much it has, and the rest is sent.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Digest } from '../../../base/digest.ts';
import { messageOf, toHearthError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { RegistryResponse } from '../http/http-client.ts';
import { isPermanentNetworkError } from '../http/network-error.ts';
import { toResponseError } from '../http/read-response.ts';
import { resolveLocation, type RegistrySession } from '../http/registry-session.ts';
import { commitStallTimeout, uploadChunk } from '../limits.ts';
import { retryUntilDone, registryFailure } from './retry.ts';

export interface UploadInput {
  readonly session: RegistrySession;
  readonly blob: { readonly digest: Digest; readonly size: number };
  /** Where it is on this machine. */
  readonly path: string;
  /** Another repository of the same library that may have it. */
  readonly mountFrom?: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Bytes that are on their way or there. */
  readonly onSent: (bytes: number) => void;
  readonly chunkSize?: number;
}

interface Upload {
  /** Where the next request goes. */
  readonly target: URL;
  readonly offset: number;
}

export async function uploadBlob(input: UploadInput): Promise<void> {
  const { clock, signal, blob, onSent } = input;
  const tags: Buffer[] = [];
  let upload: Upload | undefined;
  let furthest = 0;
  let contacted = false;
  const attempt = async (): Promise<boolean> => {
    if (await hasRemoteBlob(input, contacted)) return true;
    contacted = true;
    // What went elsewhere is not the library's to count.
    upload = upload && tags.length === 0 ? await resume(input, upload) : undefined;
    tags.length = 0;
    // What came before a cut counts: a line that breaks all the time still gets on.
    furthest = Math.max(furthest, upload?.offset ?? 0);
    upload ??= await begin(input);
    if (upload === undefined) return true;
    while (upload.offset < blob.size) {
      upload = await sendChunk(input, upload, tags);
      furthest = Math.max(furthest, upload.offset);
    }
    await commit(input, upload, tags);
    return true;
  };
  await retryUntilDone({ clock, signal }, attempt, () => furthest);
  onSent(blob.size);
}

async function hasRemoteBlob({ session, blob, signal }: UploadInput, contacted: boolean): Promise<boolean> {
  try {
    const response = await session.send({ method: 'HEAD', target: `blobs/${blob.digest}`, signal });
    response.drop();
    return response.status === 200;
  } catch (error) {
    // A library that was never there will not come while somebody waits.
    throw !contacted && isPermanentNetworkError(error) ? registryFailure(messageOf(error), { final: true }) : error;
  }
}

/** Undefined when there is nothing left to send. */
async function begin({ session, blob, mountFrom, signal }: UploadInput): Promise<Upload | undefined> {
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
  if (response.status !== 202) throw await refusal(session, response);
  return { target: nextLocation(session, response), offset: 0 };
}

/** Not to be allowed to mount is no reason not to send it: undefined. */
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

/** How much of it the library has; undefined where it has forgotten about it. */
async function resume({ session, signal }: UploadInput, { target }: Upload): Promise<Upload | undefined> {
  const response = await session.send({ method: 'GET', target, signal });
  response.drop();
  const last = /^(?:bytes=)?0-(\d{1,16})$/.exec(response.header('range') ?? '')?.[1];
  if (response.status !== 204 || last === undefined) return undefined;
  // "0-0" is said of one byte and of none.
  return { target: nextLocation(session, response, target), offset: last === '0' ? 0 : Number(last) + 1 };
}

async function sendChunk(input: UploadInput, { target, offset }: Upload, tags: Buffer[]): Promise<Upload> {
  const { session, blob, signal, chunkSize = uploadChunk } = input;
  const end = Math.min(offset + chunkSize, blob.size);
  const headers = {
    'content-type': 'application/octet-stream',
    'content-length': String(end - offset),
    'content-range': `${offset}-${end - 1}`,
    // A library that keeps its files elsewhere may name that place.
    'x-redirect-uploads': '1',
  };
  const body = () => bytesOf(input, offset, end);
  const response = await session.send({ method: 'PATCH', target, headers, body, signal });
  if (response.status === 307) {
    response.drop();
    const elsewhere = resolveLocation(response.header('location'), target, session.repository);
    const next = resolveLocation(response.header('docker-upload-location'), target, session.repository);
    await sendElsewhere(input, { elsewhere, offset, end });
    tags.push(await md5Of(input, offset, end));
    return { target: next, offset: end };
  }
  if (response.status < 200 || response.status > 299) throw await refusal(session, response);
  return { target: nextLocation(session, response, target), offset: end };
}

interface Elsewhere {
  readonly elsewhere: URL;
  readonly offset: number;
  readonly end: number;
}

async function sendElsewhere(input: UploadInput, { elsewhere, offset, end }: Elsewhere): Promise<void> {
  const headers = { 'content-type': 'application/octet-stream', 'content-length': String(end - offset) };
  const body = () => bytesOf(input, offset, end);
  const response = await input.session.send({
    method: 'PUT',
    target: elsewhere,
    headers,
    body,
    signal: input.signal,
  });
  if (response.status < 200 || response.status > 299) throw await refusal(input.session, response);
  response.drop();
}

async function commit(input: UploadInput, { target }: Upload, tags: readonly Buffer[]): Promise<void> {
  const { session, blob, signal } = input;
  const url = new URL(target);
  url.searchParams.set('digest', blob.digest);
  if (tags.length > 0) {
    const whole = createHash('md5').update(Buffer.concat(tags)).digest('hex');
    url.searchParams.set('etag', `${whole}-${tags.length}`);
  }
  const headers = { 'content-length': '0' };
  // It may read all of it once more, to compute the digest.
  const response = await session.send({ method: 'PUT', target: url, headers, stallTimeout: commitStallTimeout, signal });
  if (response.status < 200 || response.status > 299) throw await refusal(session, response);
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

/** An upload can be begun anew after most of them. */
async function refusal({ repository }: RegistrySession, response: RegistryResponse): Promise<Error> {
  const error = await toResponseError(response, new URL(repository.registry.origin).host);
  const again = response.status === 404 || response.status === 416;
  return again ? registryFailure(error.message) : error;
}
