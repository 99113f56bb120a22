// Reads the image files that a prompt names, for vision models.

import { readFile, stat } from 'node:fs/promises';
import { HearthError, systemCodeOf } from '../../base/errors.ts';
import { describeSystemError } from '../../base/process/system-error.ts';
import { safeLine } from '../output/format.ts';
import { findImages, type NamedImage, removeImages } from './find-images.ts';
import { type ModelAbilities, noVision } from './require-ability.ts';

const maxImageBytes = 100 * 2 ** 20;

/**
 * Names of files that do not exist stay in the text. Throws if an image cannot be read, or if the model cannot see
 * images.
 */
export async function readPromptImages(prompt: string, abilities: ModelAbilities) {
  const hasVision = abilities.facts.capabilities.includes('vision');
  const found: NamedImage[] = [];
  const images: string[] = [];
  const notes: string[] = [];
  for (const image of findImages(prompt)) {
    const bytes = await readImage(image.path);
    const shown = safeLine(image.written);
    if (bytes !== undefined) {
      if (!hasVision) throw noVision(abilities, image.written);
      found.push(image);
      images.push(bytes.toString('base64'));
      notes.push(`Added image '${shown}'`);
    } else if (image.isCertain && hasVision) notes.push(`File '${shown}' not found; its name is sent as text`);
  }
  return { text: removeImages(prompt, found) /** Base64. */, images /** Messages for the user. */, notes };
}

async function readImage(path: string): Promise<Buffer | undefined> {
  try {
    const { size } = await regularFile(path);
    if (size > maxImageBytes)
      throw new HearthError('bad_request', `the image '${safeLine(path)}' exceeds the limit of 100 MiB`);
    return await readFile(path);
  } catch (error) {
    if (error instanceof HearthError) throw error;
    const code = systemCodeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return undefined;
    throw new HearthError('bad_request', `cannot read the image '${safeLine(path)}': ${describeSystemError(error)}`);
  }
}

async function regularFile(path: string): Promise<{ size: number }> {
  const found = await stat(path);
  // Reading a pipe or a device may never end.
  if (!found.isFile()) throw new HearthError('bad_request', `'${safeLine(path)}' is not a regular file`);
  return found;
}
