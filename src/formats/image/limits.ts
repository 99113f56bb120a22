// Limits of images. Image encoders scale to a few hundred pixels per side, so larger images only cost memory and time.

import { HearthError } from '../../base/errors.ts';

export const imageLimits = {
  bytes: 20 * 2 ** 20,
  perRequest: 64,
  /** Pixels per side. */
  side: 16_384,
  pixels: 50_000_000,
  /** Encoders that write many chunks make them several kilobytes each. */
  pngChunks: 20_000,
  /** Each scan decodes the entire image again. Usual encoders write about ten. */
  jpegScans: 64,
  /** The longest metadata, split into segments of the largest size, needs a few hundred. */
  jpegSegments: 10_000,
} as const;

export interface ImageFacts {
  readonly format: 'png' | 'jpeg' | 'webp' | 'gif' | 'bmp';
  readonly width: number;
  readonly height: number;
}

const names = { png: 'PNG', jpeg: 'JPEG', webp: 'WebP', gif: 'GIF', bmp: 'BMP' } as const;

export function checkImageSize({ format, width, height }: ImageFacts): void {
  if (width < 1 || height < 1) throw damaged(format, `it is ${width} x ${height} pixels`);
  const { side, pixels } = imageLimits;
  if (width <= side && height <= side && width * height <= pixels) return;
  throw new HearthError(
    'bad_request',
    `a ${names[format]} of ${width} x ${height} pixels is too large (at most ${side} per side and ${pixels / 1e6} million in all)`,
  );
}

export function damaged(format: ImageFacts['format'], why: string): HearthError {
  return new HearthError('bad_request', `the ${names[format]} is damaged: ${why}`);
}
