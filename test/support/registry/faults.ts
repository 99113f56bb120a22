// Faults between a client and a registry, as data. Most modify a response of the registry; some are responses of the
// proxy itself.

import { createGzip } from 'node:zlib';

export type Fault =
  /** The connection closes after `afterBytes` of the body, or before the head. */
  | { readonly kind: 'disconnect'; readonly afterBytes: number; readonly beforeHead?: boolean }
  /** The connection stays open but silent after `afterBytes` of the body. */
  | { readonly kind: 'stall'; readonly afterBytes: number }
  | { readonly kind: 'slow'; readonly bytesPerSecond: number }
  /** Responds 200 with the entire body. */
  | { readonly kind: 'ignore range' }
  /** Content-Length is off by `by` bytes; the body is unchanged. */
  | { readonly kind: 'wrong length'; readonly by: number }
  /** Changes one byte; the offset counts from the start of this response. */
  | { readonly kind: 'corrupt'; readonly at: number }
  /** Replaces headers, for example with a false Content-Range. An empty value removes one. */
  | { readonly kind: 'headers'; readonly headers: Readonly<Record<string, string>> }
  /** An endless body without a length. */
  | { readonly kind: 'endless'; readonly status?: number }
  /** A few kilobytes that decompress to `unpackedBytes`. */
  | { readonly kind: 'gzip bomb'; readonly unpackedBytes: number }
  | { readonly kind: 'redirect'; readonly location: string; readonly status?: number }
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** The connection closes after `afterBytes` of the request body. */
  | { readonly kind: 'disconnect upload'; readonly afterBytes: number };

export interface ProxyResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** The response of the proxy itself; undefined if the request is forwarded. */
export function toProxyResponse(fault: Fault | undefined): ProxyResponse | undefined {
  switch (fault?.kind) {
    case 'endless':
      return {
        status: fault.status ?? 200,
        headers: { 'content-type': 'application/octet-stream' },
        body: endlessBody(),
      };
    case 'gzip bomb':
      return {
        status: 200,
        headers: { 'content-type': 'application/octet-stream', 'content-encoding': 'gzip' },
        body: zeros(fault.unpackedBytes),
      };
    case 'redirect':
      return { status: fault.status ?? 307, headers: { location: fault.location, 'content-length': '0' }, body: [] };
    case 'response': {
      const body = Buffer.from(fault.body ?? '');
      return {
        status: fault.status,
        headers: { 'content-length': String(body.length), ...fault.headers },
        body: body.length === 0 ? [] : [body],
      };
    }
    default:
      return undefined;
  }
}

function* endlessBody(): Iterable<Uint8Array> {
  for (;;) yield Buffer.alloc(64 * 1024, 'endless ');
}

function zeros(bytes: number): AsyncIterable<Uint8Array> {
  const gzip = createGzip({ level: 9 });
  const block = Buffer.alloc(2 ** 20);
  const feed = async (): Promise<void> => {
    for (let left = bytes; left > 0 && !gzip.destroyed; left -= block.length)
      if (!gzip.write(block.subarray(0, left))) await new Promise((resolve) => gzip.once('drain', resolve));
    gzip.end();
  };
  feed().catch(() => {});
  return gzip;
}
