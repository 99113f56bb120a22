// Requests ranges of a blob from the registry or from the storage URL that it redirects to, which is reused for later
// parts. Every response is checked against the request and the manifest.

import { HearthError } from '../../../base/errors.ts';
import type { ByteRange } from '../../../base/files/byte-ranges.ts';
import { isPrivateHost } from '../../../base/net/private-address.ts';
import type { RegistryResponse } from '../http/http-client.ts';
import { maxConnectionsPerBlob, maxPrivateConnectionsPerBlob } from '../http/limits.ts';
import { toResponseError } from '../http/read-response.ts';
import { registryFailure } from '../http/retry.ts';
import type { RemoteLayer } from '../manifests/parse-manifest.ts';
import type { RegistrySession } from '../session/registry-session.ts';

/** A response with exactly the bytes of this range. */
export interface BlobResponse extends ByteRange {
  readonly body: AsyncIterable<Buffer>;
  drop(): void;
}

export interface BlobSource {
  /** Maximum number of concurrent responses. */
  readonly maxConnections: number;
  /** Returns the memory of a written chunk for reuse. */
  recycle(chunk: Uint8Array): void;
  /** The response starts at the requested offset and may be shorter; without range support it is the entire blob. */
  open(range: ByteRange, signal: AbortSignal): Promise<BlobResponse>;
}

export function createBlobSource(session: RegistrySession, layer: RemoteLayer): BlobSource {
  const { digest, size } = layer;
  const { origin, host, hostname } = new URL(session.repository.registry.origin);
  let storageUrl: URL | undefined;
  const etags = new Map<string, string>();

  const request = async (range: ByteRange, signal: AbortSignal): Promise<RegistryResponse> => {
    const isEntireBlob = range.start === 0 && range.end === size;
    const headers: Record<string, string> = isEntireBlob ? {} : { range: `bytes=${range.start}-${range.end - 1}` };
    const get = (target: string | URL) => session.send({ method: 'GET', target, headers, signal });
    if (storageUrl !== undefined) {
      const known = storageUrl;
      storageUrl = undefined;
      const response = await get(known);
      if (response.status < 400) storageUrl = known;
      // Storage URLs expire after minutes or hours; then the registry has to provide a new one.
      if (response.status < 400 || response.status >= 500) return response;
      response.drop();
    }
    const response = await get(`blobs/${digest}`);
    if (response.url.origin !== origin && response.status < 300) storageUrl = response.url;
    return response;
  };

  return {
    recycle: session.recycle,
    maxConnections: isPrivateHost(hostname) ? maxPrivateConnectionsPerBlob : maxConnectionsPerBlob,
    async open(range, signal) {
      const response = await request(range, signal);
      try {
        checkEtag(response, etags, digest);
        const { start, end } = await checkRange(response, { range, layer, host, origin });
        return { start, end, body: response.body, drop: response.drop };
      } catch (error) {
        response.drop();
        throw error;
      }
    },
  };
}

interface Expectation {
  readonly range: ByteRange;
  readonly layer: RemoteLayer;
  readonly host: string;
  readonly origin: string;
}

/** The range that the response contains. */
async function checkRange(response: RegistryResponse, { range, layer, host, origin }: Expectation): Promise<ByteRange> {
  const { digest, size } = layer;
  switch (response.status) {
    case 200:
      checkLength(response, size, digest);
      return { start: 0, end: size };
    case 206: {
      const sent = parseContentRange(response.header('content-range'), size);
      if (sent === undefined || sent.start !== range.start || sent.end > range.end)
        throw invalidResponse(response, `sent a different range of ${digest} than requested`);
      checkLength(response, sent.end - sent.start, digest);
      return sent;
    }
    case 404:
      throw registryFailure(`${host} does not have ${digest}, which its manifest refers to`, { final: true });
    default:
      throw await toResponseError(response, { what: `cannot download ${digest} from ${response.url.host}`, origin });
  }
}

/** `bytes <first>-<last>/<size>`; undefined for anything else. */
function parseContentRange(header: string | undefined, size: number): ByteRange | undefined {
  const [, first, last, total] = /^bytes (\d{1,16})-(\d{1,16})\/(\d{1,16}|\*)$/.exec(header ?? '') ?? [];
  if (first === undefined || (total !== '*' && Number(total) !== size)) return undefined;
  const range = { start: Number(first), end: Number(last) + 1 };
  return range.start < range.end && range.end <= size ? range : undefined;
}

function checkLength(response: RegistryResponse, expected: number, digest: string): void {
  const length = response.header('content-length');
  if (length !== undefined && Number(length) !== expected)
    throw invalidResponse(response, `announced ${Number(length)} bytes of ${digest} instead of ${expected}`);
}

/** All responses from one origin must have the same ETag. */
function checkEtag(response: RegistryResponse, etags: Map<string, string>, digest: string): void {
  const etag = response.header('etag');
  if (response.status >= 300 || etag === undefined || etag.startsWith('W/')) return;
  const before = etags.get(response.url.origin);
  if (before === undefined) etags.set(response.url.origin, etag);
  else if (before !== etag) {
    // The downloaded bytes are kept: they may be right, and the digest is checked at the end.
    throw invalidResponse(response, `changed ${digest} during the download; pull again`);
  }
}

function invalidResponse(response: RegistryResponse, what: string): HearthError {
  return new HearthError('registry_invalid_response', `${response.url.host} ${what}`);
}
