// Takes the pictures that a prompt names from the disk, for models that have eyes.

import { readFile, stat } from 'node:fs/promises';
import { HearthError, systemCodeOf } from '../../base/errors.ts';
import { safeLine } from '../output/format.ts';
import { cutOut, findImages, type NamedImage } from './find-images.ts';

export interface PromptWithImages {
  readonly text: string;
  /** Base64. */
  readonly images: readonly string[];
  /** Sentences for the person who wrote the prompt. */
  readonly notes: readonly string[];
}

const maxImageBytes = 100 * 2 ** 20;

/** What is not there stays in the text: it may be a name and no path. Throws where a picture cannot be read. */
export async function readPromptImages(prompt: string): Promise<PromptWithImages> {
  const found: NamedImage[] = [];
  const images: string[] = [];
  const notes: string[] = [];
  for (const image of findImages(prompt)) {
    const bytes = await readImage(image.path);
    const shown = safeLine(image.written);
    if (bytes !== undefined) {
      found.push(image);
      images.push(bytes.toString('base64'));
      notes.push(`Added image '${shown}'`);
    } else if (image.isCertain) notes.push(`There is no file '${shown}': the name is sent as text`);
  }
  return { text: cutOut(prompt, found), images, notes };
}

async function readImage(path: string): Promise<Buffer | undefined> {
  try {
    const { size } = await regularFile(path);
    if (size > maxImageBytes)
      throw new HearthError('bad_request', `'${safeLine(path)}' is larger than 100 MB, too large for a picture`);
    return await readFile(path);
  } catch (error) {
    if (error instanceof HearthError) throw error;
    const code = systemCodeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return undefined;
    throw new HearthError('bad_request', `cannot read the picture '${safeLine(path)}': ${code ?? 'unknown reason'}`);
  }
}

async function regularFile(path: string): Promise<{ size: number }> {
  const found = await stat(path);
  // A pipe or a device would be read for ever.
  if (!found.isFile()) throw new HearthError('bad_request', `'${safeLine(path)}' is not a file`);
  return found;
}
