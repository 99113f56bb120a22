// Opens a llama.cpp build and verifies its version and struct defaults. FFI does not detect a changed struct: a wrong
// layout silently reads and writes the wrong bytes.

import koffi from 'koffi';
import { HearthError, messageOf } from '../../../base/errors.ts';
import { b10257Defaults, bindVision, loadVisionLibrary, packageVersion, type VisionApi } from './bindings/b10257.ts';
import type { LlamaApi } from './bindings/llama-api.ts';
import type { KnownValues } from './bindings/structs.ts';
import { backendVersion, bindLlama, type QuantizeApi, v040Defaults } from './bindings/v0-4-0.ts';
import type { EngineBackend } from './find-backend.ts';
import { type DeviceApi, findGpus } from './list-devices.ts';

/** `libraries` are GPU backends that ggml loads in addition to its own. */
export function openBackend(backend: EngineBackend, libraries: readonly string[] = []): LlamaApi & QuantizeApi {
  const api = bindLlama(backend);
  checkBackend(api, backend.packageName);
  for (const library of libraries) loadLibrary(api, library);
  start(api, backend);
  if (libraries.length > 0) requireGpu(api);
  return api;
}

function loadLibrary(api: LlamaApi, library: string): void {
  // ggml only returns a null pointer. The loader of the system says which library is missing.
  requireLibrary(() => koffi.load(library));
  if (api.loadBackend(library) === null) throw notUsable('the backend is of another version, or found no GPU');
}

function requireLibrary<Result>(load: () => Result): Result {
  try {
    return load();
  } catch (error) {
    throw notUsable(messageOf(error).replace(/^Failed to load shared library: /, ''));
  }
}

function requireGpu(api: DeviceApi): void {
  if (findGpus(api).length === 0) throw notUsable('the backend found no GPU');
}

function notUsable(reason: string): HearthError {
  return new HearthError('load_failed', reason);
}

/** The part of vision models that encodes images. `file` is a build with a GPU backend. */
export function openVisionBackend(backend: EngineBackend, file?: string): VisionApi {
  const library = requireLibrary(() => loadVisionLibrary(backend));
  const api = bindVision(library, backend);
  checkVisionBackend(api, backend.packageName);
  api.backendInit();
  if (file !== undefined) requireGpu(api);
  return api;
}

function start(api: LlamaApi, { folder }: EngineBackend): void {
  api.loadBackends(folder);
  api.backendInit();
}

type Common = Pick<LlamaApi, 'version' | 'modelDefaultParams'>;
export type CheckedFunctions = Common &
  Pick<LlamaApi, 'contextDefaultParams'> &
  Pick<QuantizeApi, 'quantizeDefaultParams'>;
export type CheckedVisionFunctions = Common & Pick<VisionApi, 'mtmdDefaultParams'>;

export function checkBackend(api: CheckedFunctions, name: string): void {
  checkCommon(name, api, { version: backendVersion, ...v040Defaults });
  checkDefaults(name, 'llama_context_params', api.contextDefaultParams(), v040Defaults.context);
  checkDefaults(name, 'llama_model_quantize_params', api.quantizeDefaultParams(), v040Defaults.quantize);
}

export function checkVisionBackend(api: CheckedVisionFunctions, name: string): void {
  checkCommon(name, api, { version: packageVersion, ...b10257Defaults });
  checkDefaults(name, 'mtmd_context_params', api.mtmdDefaultParams(), b10257Defaults.mtmd);
}

interface Known {
  readonly version: string;
  readonly model: KnownValues;
}

function checkCommon(name: string, api: Common, known: Known): void {
  const version = api.version();
  if (version !== known.version) {
    throw mismatch(name, `it is version ${version}, but Hearth requires ${known.version}`);
  }
  checkDefaults(name, 'llama_model_params', api.modelDefaultParams(), known.model);
}

function checkDefaults(name: string, struct: string, actual: object, known: KnownValues): void {
  for (const [key, value] of Object.entries(known)) {
    const found = (actual as Record<string, unknown>)[key];
    if (Number(found) !== Number(value)) {
      throw mismatch(name, `${struct}.${key} is ${String(found)} by default instead of ${String(value)}`);
    }
  }
}

function mismatch(name: string, reason: string): HearthError {
  return new HearthError(
    'load_failed',
    `the llama.cpp build ${name} does not match: ${reason}. Install the version in package.json.`,
  );
}
