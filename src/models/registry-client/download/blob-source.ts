// Where the bytes of a blob come from: the library itself, or the place it sends us to, which is remembered for the parts
// that follow. What an answer claims to be is held against what the manifest has said.

import type { ByteRange } from '../../../base/byte-ranges.ts';
import { HearthError } from '../../../base/errors.ts';
import type { RegistryResponse } from '../http/http-client.ts';
import { isPrivateHost } from '../http/private-address.ts';
import { toResponseError } from '../http/read-response.ts';
import type { RegistrySession } from '../http/registry-session.ts';
import { maxPrivateConnectionsPerBlob, maxConnectionsPerBlob } from '../limits.ts';
import type { RemoteLayer } from '../parse-manifest.ts';
import { registryFailure } from '../transfers/retry.ts';

/** Bytes on their way: those of this range, and no others. */
export interface BlobResponse extends ByteRange {
  readonly body: AsyncIterable<Buffer>;
  drop(): void;
}

export interface BlobSource {
  /** How many answers may come at once. */
  readonly maxConnections: number;
  /** The bytes are written: their memory can be used again. */
  recycle(chunk: Uint8Array): void;
  /** What comes begins where it was asked for and may end sooner; or it is the whole blob, where ranges are not known. */
  open(range: ByteRange, signal: AbortSignal): Promise<BlobResponse>;
}

export function createBlobSource(session: RegistrySession, layer: RemoteLayer): BlobSource {
  const { digest, size } = layer;
  const { origin, host, hostname } = new URL(session.repository.registry.origin);
  let direct: URL | undefined;
  const tags = new Map<string, string>();

  const request = async (range: ByteRange, signal: AbortSignal): Promise<RegistryResponse> => {
    const isWhole = range.start === 0 && range.end === size;
    const headers = isWhole ? {} : { range: `bytes=${range.start}-${range.end - 1}` };
    const ask = (target: string | URL) => session.send({ method: 'GET', target, headers, signal });
    if (direct !== undefined) {
      const known = direct;
      direct = undefined;
      const response = await ask(known);
      if (response.status < 400) direct = known;
      // Such addresses hold for minutes or hours, and what stands behind them can fail; then the library has to be asked
      // for a new one.
      if (response.status < 400 || response.status >= 500) return response;
      response.drop();
    }
    const response = await ask(`blobs/${digest}`);
    if (response.url.origin !== origin && response.status < 300) direct = response.url;
    return response;
  };

  return {
    recycle: session.recycle,
    maxConnections: isPrivateHost(hostname) ? maxPrivateConnectionsPerBlob : maxConnectionsPerBlob,
    async open(range, signal) {
      const response = await request(range, signal);
      try {
        checkTag(response, tags, digest);
        const { start, end } = await claimOf(response, { range, layer, host });
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
}

/** Which bytes the answer says that it has. */
async function claimOf(response: RegistryResponse, { range, layer, host }: Expectation): Promise<ByteRange> {
  const { digest, size } = layer;
  switch (response.status) {
    case 200:
      checkLength(response, size, digest);
      return { start: 0, end: size };
    case 206: {
      const claim = parseContentRange(response.header('content-range'), size);
      if (claim === undefined || claim.start !== range.start || claim.end > range.end)
        throw lie(response, `sends other bytes of ${digest} than it was asked for`);
      checkLength(response, claim.end - claim.start, digest);
      return claim;
    }
    case 404:
      throw registryFailure(`${host} does not have ${digest}, which its manifest names`, { final: true });
    default:
      throw await toResponseError(response, `${response.url.host} does not give ${digest}`);
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
    throw lie(response, `announces ${length} bytes of ${digest} where there are ${expected}`);
}

/** Answers from one place must be about one thing. */
function checkTag(response: RegistryResponse, tags: Map<string, string>, digest: string): void {
  const tag = response.header('etag');
  if (response.status >= 300 || tag === undefined || tag.startsWith('W/')) return;
  const before = tags.get(response.url.origin);
  if (before === undefined) tags.set(response.url.origin, tag);
  else if (before !== tag) {
    // The digest decides in the end; until then what is there may well be right.
    throw lie(response, `has changed ${digest} while it was downloaded; pull again`);
  }
}

function lie(response: RegistryResponse, what: string): HearthError {
  return new HearthError('registry_invalid_response', `${response.url.host} ${what}`);
}
