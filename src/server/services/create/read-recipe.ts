// Reads the recipe of a create request, in any of its forms.

import { HearthError, messageOf } from '../../../base/errors.ts';
import { modelfileLimits } from '../../../formats/modelfile/modelfile.ts';
import { engineParametersIn } from '../../../models/engine-parameters.ts';
import { keepAliveIn } from '../../../models/keep-alive.ts';
import { type OptionValues, parseOptions } from '../../../models/options.ts';
import { type Recipe, type RecipeFields, recipeFromFields, recipeFromModelfile } from './recipe.ts';
import { openServerFile, readStart } from './server-file.ts';

export interface RecipeRequest {
  /** The text of a Modelfile. With it, `path` only sets the base of relative paths. */
  readonly modelfile: string;
  /** The path of a Modelfile on the server's machine. */
  readonly path: string;
  readonly fields: RecipeFields;
  readonly localFiles: boolean;
}

export async function readRecipe(request: RecipeRequest, signal: AbortSignal): Promise<Recipe> {
  const { modelfile, path, fields } = request;
  if (modelfile !== '') return recipeFromModelfile(modelfile, path === '' ? undefined : path);
  if (path !== '') return readServerModelfile(request, signal);
  if (fields.from === '' && Object.keys(fields.files).length === 0)
    throw new HearthError('bad_request', "neither 'from' or 'files' was specified, nor a modelfile");
  // Reports a wrong type now instead of in every request to the model.
  keepAliveIn(fields.parameters);
  engineParametersIn(fields.parameters);
  const { adapters } = readOptions(fields.parameters);
  // In the store they have the form of a Modelfile.
  const parameters = adapters === undefined ? fields.parameters : { ...fields.parameters, adapters };
  return recipeFromFields({ ...fields, parameters });
}

/** In requests that use a model, a wrong type has the status of Ollama, which checks nothing here. */
function readOptions(parameters: RecipeFields['parameters']): OptionValues {
  try {
    return parseOptions(parameters).values;
  } catch (error) {
    throw new HearthError('bad_request', messageOf(error), { cause: error });
  }
}

// One text for all reasons, so that the API tells neither which files exist nor what they contain.
const unusable =
  'error reading modelfile: the file does not exist, is not readable, ' +
  `is larger than ${modelfileLimits.bytes / 2 ** 20} MiB, or is not a valid Modelfile`;

async function readServerModelfile({ path, localFiles }: RecipeRequest, signal: AbortSignal): Promise<Recipe> {
  if (!localFiles)
    throw new HearthError('forbidden', 'path can be used only by clients on the same machine as the server');
  try {
    return recipeFromModelfile(await readModelfile(path, signal), path);
  } catch {
    signal.throwIfAborted();
    throw new HearthError('bad_request', unusable);
  }
}

async function readModelfile(path: string, signal: AbortSignal): Promise<Buffer> {
  const file = await openServerFile(path);
  try {
    if (file.size > modelfileLimits.bytes) throw new Error('too large');
    return await readStart(file, file.size, signal);
  } finally {
    await file.handle.close();
  }
}
