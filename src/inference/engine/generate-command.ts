// The command for one answer, from what its caller asks for.

import { HearthError } from '../../base/errors.ts';
import { maxImages } from '../protocol/frames.ts';
import type { GenerateCommand } from '../protocol/messages.ts';
import type { AcquireRequest, GenerateRequest } from './ports.ts';

export function toGenerateCommand(
  { images = [], ...input }: GenerateRequest,
  { client = '', weight, background, partition = '', session: named }: AcquireRequest,
): Omit<GenerateCommand, 'type' | 'id'> {
  const session = input.session ?? named;
  const caller = {
    client,
    ...(session === undefined ? {} : { session }),
    ...(weight === undefined ? {} : { weight }),
    background,
    ...(partition === '' ? {} : { partition }),
  };
  return { ...input, ...caller, ...(images.length === 0 ? {} : { images: encodeImages(images) }) };
}

function encodeImages(images: readonly Buffer[]): string[] {
  const encoded = images.map((image) => image.toString('base64'));
  if (encoded.reduce((sum, text) => sum + text.length, 0) <= maxImages) return encoded;
  throw new HearthError('bad_request', 'the images of this request are too large in total');
}
