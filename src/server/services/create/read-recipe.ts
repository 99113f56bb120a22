// A recipe from whichever form a request has.

import { readFile } from 'node:fs/promises';
import { HearthError, messageOf } from '../../../base/errors.ts';
import { parseOptions } from '../../../models/options.ts';
import { type Recipe, type RecipeFields, recipeFromFields, recipeFromModelfile } from './recipe.ts';

export interface RecipeRequest {
  /** The text of a Modelfile; it wins over `path`, which then only says where relative paths begin. */
  readonly modelfile: string;
  /** Of a Modelfile on the server's machine. */
  readonly path: string;
  readonly fields: RecipeFields;
  readonly localFiles: boolean;
}

export async function readRecipe({ modelfile, path, fields, localFiles }: RecipeRequest): Promise<Recipe> {
  if (modelfile !== '') return recipeFromModelfile(modelfile, path === '' ? undefined : path);
  if (path !== '') return recipeFromModelfile(await readModelfile(path, localFiles), path);
  if (fields.from === '' && Object.keys(fields.files).length === 0)
    throw new HearthError('bad_request', "neither 'from' or 'files' was specified, nor a modelfile");
  // Wrong types are better told now than by every request to the model.
  parseOptions(fields.parameters);
  return recipeFromFields(fields);
}

async function readModelfile(path: string, localFiles: boolean): Promise<Uint8Array> {
  if (!localFiles) throw new HearthError('forbidden', 'path can be used only from the machine that the server runs on');
  try {
    return await readFile(path);
  } catch (error) {
    throw new HearthError('bad_request', `error reading modelfile: ${messageOf(error)}`);
  }
}
