// Reads the recipe of a create request, in any of its forms.

import { readFile } from 'node:fs/promises';
import { HearthError, messageOf } from '../../../base/errors.ts';
import { parseOptions } from '../../../models/options.ts';
import { type Recipe, type RecipeFields, recipeFromFields, recipeFromModelfile } from './recipe.ts';

export interface RecipeRequest {
  /** The text of a Modelfile. With it, `path` only sets the base of relative paths. */
  readonly modelfile: string;
  /** The path of a Modelfile on the server's machine. */
  readonly path: string;
  readonly fields: RecipeFields;
  readonly localFiles: boolean;
}

export async function readRecipe({ modelfile, path, fields, localFiles }: RecipeRequest): Promise<Recipe> {
  if (modelfile !== '') return recipeFromModelfile(modelfile, path === '' ? undefined : path);
  if (path !== '') return recipeFromModelfile(await readModelfile(path, localFiles), path);
  if (fields.from === '' && Object.keys(fields.files).length === 0)
    throw new HearthError('bad_request', "neither 'from' or 'files' was specified, nor a modelfile");
  // Reports a wrong type now instead of in every request to the model.
  parseOptions(fields.parameters);
  return recipeFromFields(fields);
}

async function readModelfile(path: string, localFiles: boolean): Promise<Uint8Array> {
  if (!localFiles)
    throw new HearthError('forbidden', 'path can be used only by clients on the same machine as the server');
  try {
    return await readFile(path);
  } catch (error) {
    throw new HearthError('bad_request', `error reading modelfile: ${messageOf(error)}`);
  }
}
