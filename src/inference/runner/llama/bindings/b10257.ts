// llama.cpp b10257 from @fugood/node-llama: older than v0.4.0, but with image support, which the other packages lack.
// One file holds everything. It does not report its version, so the version of the package is checked.

import type { EngineBackend } from '../find-backend.ts';
import { bindShared, type LlamaApi, loadBackend } from './llama-api.ts';
import { bindMtmd, type MtmdApi } from './mtmd-api.ts';
import {
  contextParamsEnd,
  contextParamsStart,
  declareStructs,
  knownContextDefaults,
  knownModelDefaults,
  modelParamsEnd,
  modelParamsStart,
} from './structs.ts';

export const buildName = 'b10257';
/** Of the package. */
export const packageVersion = '1.7.15';

const modelParams = { ...modelParamsStart, ...modelParamsEnd } as const;
const contextParams = { ...contextParamsStart, ...contextParamsEnd } as const;

export const b10257Defaults = {
  model: { ...knownModelDefaults, load_mode: 1 },
  context: knownContextDefaults,
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

export function bindVisionLlama(backend: EngineBackend): LlamaApi & MtmdApi {
  declareStructs(modelParams, contextParams);
  const backends = loadBackend(backend);
  return {
    ...bindShared(backends),
    ...bindMtmd(backends.llama),
    library: backend.llama,
    version: () => backend.packageVersion,
  };
}
