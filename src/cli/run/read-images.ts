// Takes the pictures that a prompt names from the disk, for models that have eyes.

import { readFile, stat } from 'node:fs/promises';
import { HearthError, systemCodeOf } from '../../base/errors.ts';
import { safeLine } from '../output/format.ts';
import { cutOut, findPictures, type NamedPicture } from './find-images.ts';

export interface PromptWithPictures {
  readonly text: string;
  /** Base64. */
  readonly images: readonly string[];
  /** Sentences for the person who wrote the prompt. */
  readonly notes: readonly string[];
}

const largestPicture = 100 * 2 ** 20;

/** What is not there stays in the text: it may be a name and no path. Throws where a picture cannot be read. */
export async function readPictures(prompt: string): Promise<PromptWithPictures> {
  const found: NamedPicture[] = [];
  const images: string[] = [];
  const notes: string[] = [];
  for (const picture of findPictures(prompt)) {
    const bytes = await readPicture(picture.path);
    const shown = safeLine(picture.written);
    if (bytes !== undefined) {
      found.push(picture);
      images.push(bytes.toString('base64'));
      notes.push(`Added image '${shown}'`);
    } else if (picture.isCertain) notes.push(`There is no file '${shown}': the name is sent as text`);
  }
  return { text: cutOut(prompt, found), images, notes };
}

async function readPicture(path: string): Promise<Buffer | undefined> {
  try {
    const { size } = await regularFile(path);
    if (size > largestPicture)
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
