// How large a picture may be. Projectors look at a few hundred pixels a side, so these only keep out what would cost
// memory and time without showing anybody more.

import { HearthError } from '../../base/errors.ts';

export const imageLimits = {
  bytes: 20 * 2 ** 20,
  /** Pixels a side. */
  side: 16_384,
  pixels: 50_000_000,
  /** Programs that write many write them of some kilobytes each. */
  pngChunks: 20_000,
  /** Each goes over the whole picture once more; cameras and browsers make about ten. */
  jpegScans: 64,
} as const;

export interface ImageFacts {
  readonly format: 'png' | 'jpeg';
  readonly width: number;
  readonly height: number;
}

const names = { png: 'a PNG', jpeg: 'a JPEG' } as const;

export function checkSize({ format, width, height }: ImageFacts): void {
  if (width < 1 || height < 1) throw damaged(format, `it is ${width} x ${height} pixels`);
  const { side, pixels } = imageLimits;
  if (width <= side && height <= side && width * height <= pixels) return;
  throw new HearthError(
    'bad_request',
    `${names[format]} of ${width} x ${height} pixels is too large (at most ${side} a side and ${pixels / 1e6} million in all)`,
  );
}

export function damaged(format: ImageFacts['format'], why: string): HearthError {
  return new HearthError('bad_request', `the ${format.toUpperCase()} is damaged: ${why}`);
}
