// Bodies that the client has compressed.

import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { HearthError } from '../../../base/errors.ts';

// Node 20 has no zstd.
const createZstdDecompress = (zlib as { readonly createZstdDecompress?: () => Transform }).createZstdDecompress;

const decoders: Readonly<Record<string, (() => Transform) | undefined>> = {
  gzip: zlib.createGunzip,
  'x-gzip': zlib.createGunzip,
  deflate: zlib.createInflate,
  br: zlib.createBrotliDecompress,
  zstd: createZstdDecompress,
};

/** What decodes a body with this Content-Encoding. Undefined: it is not encoded. Throws if nothing can. */
export function createBodyDecoder(encoding = 'identity'): Transform | undefined {
  const name = encoding.trim().toLowerCase();
  if (name === 'identity' || name === '') return undefined;
  const create = Object.hasOwn(decoders, name) ? decoders[name] : undefined;
  if (create !== undefined) return create();
  const known = Object.keys(decoders).filter((one) => decoders[one] !== undefined);
  const message = `the Content-Encoding "${name.slice(0, 50)}" is not supported; use one of ${known.join(', ')}`;
  throw new HearthError('bad_request', message);
}
