// Opens the library and makes sure that it is the one we think it is. FFI does not notice when a struct has
// changed: a wrong layout would read and write the wrong bytes in silence.

import { HearthError } from '../../kernel/errors.ts';
import type { EngineLibrary } from './find-library.ts';
import { bindLlama, knownDefaults, type LlamaApi, libraryVersion } from './v0-4-0.ts';

export function openLibrary(library: EngineLibrary): LlamaApi {
  const api = bindLlama(library);
  checkLibrary(api, library.packageName);
  api.loadBackends(library.folder);
  api.backendInit();
  return api;
}

export type CheckedFunctions = Pick<
  LlamaApi,
  'version' | 'modelDefaultParams' | 'contextDefaultParams' | 'quantizeDefaultParams'
>;

export function checkLibrary(api: CheckedFunctions, name: string): void {
  const version = api.version();
  if (version !== libraryVersion) {
    throw mismatch(name, `it says it is version ${version}, but this build of Hearth knows ${libraryVersion}`);
  }
  checkDefaults(name, 'llama_model_params', api.modelDefaultParams(), knownDefaults.model);
  checkDefaults(name, 'llama_context_params', api.contextDefaultParams(), knownDefaults.context);
  checkDefaults(name, 'llama_model_quantize_params', api.quantizeDefaultParams(), knownDefaults.quantize);
}

function checkDefaults<Params extends object>(
  name: string,
  struct: string,
  actual: Params,
  known: Partial<Params>,
): void {
  for (const key of Object.keys(known) as (keyof Params & string)[]) {
    if (Number(actual[key]) !== Number(known[key])) {
      throw mismatch(name, `${struct}.${key} is ${String(actual[key])} by default instead of ${String(known[key])}`);
    }
  }
}

function mismatch(name: string, what: string): HearthError {
  return new HearthError(
    'load_failed',
    `the engine library ${name} does not fit: ${what}. Install the version that package.json names.`,
  );
}
