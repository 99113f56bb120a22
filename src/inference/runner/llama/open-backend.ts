// Opens a library and makes sure that it is the one we think it is. FFI does not notice when a struct has changed: a
// wrong layout would read and write the wrong bytes in silence.

import { HearthError } from '../../../base/errors.ts';
import * as b10257 from './bindings/b10257.ts';
import type { LlamaApi } from './bindings/llama-api.ts';
import type { MtmdApi } from './bindings/mtmd-api.ts';
import type { KnownValues } from './bindings/structs.ts';
import * as v040 from './bindings/v0-4-0.ts';
import type { EngineBackend } from './find-backend.ts';

export function openBackend(backend: EngineBackend): LlamaApi & v040.QuantizeApi {
  const api = v040.bindLlama(backend);
  checkBackend(api, backend.packageName);
  start(api, backend);
  return api;
}

/** For models with eyes. */
export function openVisionBackend(backend: EngineBackend): LlamaApi & MtmdApi {
  const api = b10257.bindVisionLlama(backend);
  checkVisionBackend(api, backend.packageName);
  start(api, backend);
  return api;
}

function start(api: LlamaApi, { folder }: EngineBackend): void {
  api.loadBackends(folder);
  api.backendInit();
}

type Common = Pick<LlamaApi, 'version' | 'modelDefaultParams' | 'contextDefaultParams'>;
export type CheckedFunctions = Common & Pick<v040.QuantizeApi, 'quantizeDefaultParams'>;
export type CheckedVisionFunctions = Common & Pick<MtmdApi, 'mtmdDefaultParams'>;

export function checkBackend(api: CheckedFunctions, name: string): void {
  const { backendVersion, knownDefaults } = v040;
  checkCommon(name, api, { version: backendVersion, ...knownDefaults });
  checkDefaults(name, 'llama_model_quantize_params', api.quantizeDefaultParams(), knownDefaults.quantize);
}

export function checkVisionBackend(api: CheckedVisionFunctions, name: string): void {
  const { packageVersion, knownDefaults } = b10257;
  checkCommon(name, api, { version: packageVersion, ...knownDefaults });
  checkDefaults(name, 'mtmd_context_params', api.mtmdDefaultParams(), knownDefaults.mtmd);
}

interface Known {
  readonly version: string;
  readonly model: KnownValues;
  readonly context: KnownValues;
}

function checkCommon(name: string, api: Common, known: Known): void {
  const version = api.version();
  if (version !== known.version) {
    throw mismatch(name, `it says it is version ${version}, but this build of Hearth knows ${known.version}`);
  }
  checkDefaults(name, 'llama_model_params', api.modelDefaultParams(), known.model);
  checkDefaults(name, 'llama_context_params', api.contextDefaultParams(), known.context);
}

function checkDefaults(name: string, struct: string, actual: object, known: KnownValues): void {
  for (const [key, value] of Object.entries(known)) {
    const found = (actual as Record<string, unknown>)[key];
    if (Number(found) !== Number(value)) {
      throw mismatch(name, `${struct}.${key} is ${String(found)} by default instead of ${String(value)}`);
    }
  }
}

function mismatch(name: string, what: string): HearthError {
  return new HearthError(
    'load_failed',
    `the engine library ${name} does not fit: ${what}. Install the version that package.json names.`,
  );
}
