// What can go wrong between a client and a registry, as data. Most change an answer on its way down; some are answers
// of their own, for which the registry is not asked.

import { createGzip } from 'node:zlib';

export type Fault =
  /** The connection ends after so many bytes of the body; before the head, with `beforeHead`. */
  | { readonly kind: 'cut'; readonly afterBytes: number; readonly beforeHead?: boolean }
  /** So many bytes of the body, then silence on an open connection. */
  | { readonly kind: 'stall'; readonly afterBytes: number }
  | { readonly kind: 'slow'; readonly bytesPerSecond: number }
  /** The range is ignored: 200, and everything. */
  | { readonly kind: 'whole' }
  /** The announced length is off by so many bytes; what is too much is sent, what is missing is not. */
  | { readonly kind: 'wrong length'; readonly by: number }
  /** One byte of the body is another; counted from where this answer begins. */
  | { readonly kind: 'changed'; readonly at: number }
  /** Other headers, the same body: a Content-Range that lies, for instance. An empty text takes one away. */
  | { readonly kind: 'headers'; readonly headers: Readonly<Record<string, string>> }
  /** A body without a length and without an end. */
  | { readonly kind: 'endless'; readonly status?: number }
  /** A few kilobytes that unpack to so many. */
  | { readonly kind: 'gzip bomb'; readonly unpackedBytes: number }
  | { readonly kind: 'redirect'; readonly location: string; readonly status?: number }
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** The connection ends after so many bytes of what the client sends. */
  | { readonly kind: 'cut upload'; readonly afterBytes: number };

export interface OwnAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** The answer that a fault is by itself; undefined when the registry is asked. */
export function toOwnAnswer(fault: Fault | undefined): OwnAnswer | undefined {
  switch (fault?.kind) {
    case 'endless':
      return { status: fault.status ?? 200, headers: { 'content-type': 'application/octet-stream' }, body: forEver() };
    case 'gzip bomb':
      return {
        status: 200,
        headers: { 'content-type': 'application/octet-stream', 'content-encoding': 'gzip' },
        body: zeros(fault.unpackedBytes),
      };
    case 'redirect':
      return { status: fault.status ?? 307, headers: { location: fault.location, 'content-length': '0' }, body: [] };
    case 'answer': {
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

function* forEver(): Iterable<Uint8Array> {
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
