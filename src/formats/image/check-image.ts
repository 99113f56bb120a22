// Checks an untrusted image before it reaches a runner: the format, the size, and that it does not decompress to more
// than its header declares.

import { HearthError } from '../../base/errors.ts';
import { checkBmp } from './bmp.ts';
import { checkGif } from './gif.ts';
import { checkJpeg } from './jpeg.ts';
import { type ImageFacts, imageLimits } from './limits.ts';
import { checkPng } from './png.ts';
import { checkWebp } from './webp.ts';

const signatures = [
  { start: '\x89PNG\r\n\x1a\n', check: checkPng },
  { start: '\xff\xd8\xff', check: checkJpeg },
  { start: 'GIF87a', check: checkGif },
  { start: 'GIF89a', check: checkGif },
  { start: 'BM', check: checkBmp },
] as const;

const isWebp = (text: string): boolean => text.startsWith('RIFF') && text.startsWith('WEBP', 8);

// Common unsupported formats, named in the error message.
const unsupportedFormats = [
  { name: 'a TIFF', matches: (text: string) => text.startsWith('II*\0') || text.startsWith('MM\0*') },
  { name: 'a HEIC or AVIF', matches: (text: string) => text.startsWith('ftyp', 4) },
  { name: 'an SVG', matches: (text: string) => /^\s*(<\?xml|<svg)/.test(text) },
  { name: 'a PDF', matches: (text: string) => text.startsWith('%PDF') },
];

const signatureBytes = 64;

/** Throws `bad_request`. */
export async function checkImage(bytes: Uint8Array): Promise<ImageFacts> {
  if (bytes.length > imageLimits.bytes) {
    const size = (bytes.length / 2 ** 20).toFixed(1);
    throw new HearthError('bad_request', `${size} MiB is too large (at most ${imageLimits.bytes / 2 ** 20} MiB)`);
  }
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = file.toString('latin1', 0, signatureBytes);
  const known = signatures.find((signature) => start.startsWith(signature.start));
  if (known) return known.check(file);
  if (isWebp(start)) return checkWebp(file);
  const unsupported = unsupportedFormats.find(({ matches }) => matches(start));
  const found = unsupported ? `${unsupported.name} is not supported` : 'the format is unknown';
  throw new HearthError('bad_request', `${found}: send a PNG, a JPEG, a WebP, a GIF or a BMP`);
}
