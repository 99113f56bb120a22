// llama.cpp b10257 from @fugood/node-llama: older than v0.4.0, but with mtmd, which encodes images and which the other
// packages lack. Only that part of it is used. One file holds everything. It does not report its version, so the version of
// the package is checked.

import koffi, { type LibraryHandle } from 'koffi';
import type { EngineBackend } from '../find-backend.ts';
import { bindFunction } from './bind-function.ts';
import { bindDevices } from './bind-ggml.ts';
import { bindLogCapture } from './bind-log.ts';
import { bindMtmd } from './mtmd-api.ts';
import type { Address, ModelPointer } from './pointers.ts';
import { knownModelDefaults, type ModelParams, modelParamsEnd, modelParamsStart } from './structs.ts';

/** The version of the package. */
export const packageVersion = '1.7.15';

const modelParams = { ...modelParamsStart, ...modelParamsEnd } as const;

export const b10257Defaults = {
  model: { ...knownModelDefaults, load_mode: 1 },
  mtmd: {
    use_gpu: true,
    print_timings: true,
    n_threads: 4,
    flash_attn_type: -1,
    warmup: true,
    image_min_tokens: -1,
    image_max_tokens: -1,
    batch_max_tokens: 1024,
  },
} as const;

export type VisionApi = ReturnType<typeof bindVision>;

/**
 * Must be loaded before the other llama.cpp, whose functions have the same names and are global. RTLD_DEEPBIND would make
 * the order irrelevant, but then the C++ library has two ids of a locale facet in Node 22 and later, and throws.
 */
export function loadVisionLibrary({ llama }: EngineBackend): LibraryHandle {
  return koffi.load(llama);
}

export function bindVision(library: LibraryHandle, { packageVersion: version }: EngineBackend) {
  koffi.struct('vision_model_params', modelParams);
  return {
    ...bindDevices(library, library),
    ...bindMtmd(library),
    version: () => version,
    backendInit: bindFunction<() => void>(library, 'void llama_backend_init()'),
    modelDefaultParams: bindFunction<() => ModelParams>(library, 'vision_model_params llama_model_default_params()'),
    modelLoad: bindFunction<(path: string, params: ModelParams) => ModelPointer | null>(
      library,
      'void *llama_model_load_from_file(const char *path, vision_model_params params)',
    ),
    modelLoadStream: bindFunction<(file: Address, params: ModelParams) => ModelPointer | null>(
      library,
      'void *llama_model_load_from_file_ptr(void *file, vision_model_params params)',
    ),
    modelInputWidth: bindFunction<(model: ModelPointer) => number>(
      library,
      'int32 llama_model_n_embd_inp(void *model)',
    ),
    captureLog: bindLogCapture(library, 'llama_log_set'),
  };
}
