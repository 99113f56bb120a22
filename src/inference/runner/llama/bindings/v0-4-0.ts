// llama.cpp v0.4.0: the structs and functions that differ from other versions, and the default values that verify that
// a backend matches the structs. Another version gets another file.

import koffi from 'koffi';
import type { EngineBackend } from '../find-backend.ts';
import { bindFunction } from './bind-function.ts';
import { bindHiddenStates } from './bind-hidden-states.ts';
import { bindShared, type LlamaApi, loadBackend } from './llama-api.ts';
import type { Address } from './pointers.ts';
import {
  contextParamsEnd,
  contextParamsStart,
  declareStructs,
  knownContextDefaults,
  knownModelDefaults,
  modelParamsEnd,
  modelParamsStart,
  pointer,
  type StructValue,
} from './structs.ts';

export const backendVersion = '0.4.0-dev';

const modelParams = { ...modelParamsStart, lazy_mode: 'int32', ...modelParamsEnd, load_mtp: 'bool' } as const;
const contextParams = { ...contextParamsStart, n_outputs_max_per_seq: 'uint32', ...contextParamsEnd } as const;

const quantizeParams = {
  nthread: 'int32',
  ftype: 'int32',
  output_tensor_type: 'int32',
  token_embedding_type: 'int32',
  allow_requantize: 'bool',
  quantize_output_tensor: 'bool',
  only_copy: 'bool',
  pure: 'bool',
  keep_split: 'bool',
  dry_run: 'bool',
  imatrix: pointer,
  kv_overrides: pointer,
  tt_overrides: pointer,
  prune_layers: pointer,
  max_buf_size: 'size_t',
} as const;
type QuantizeParams = Omit<StructValue<typeof quantizeParams>, 'imatrix'> & {
  imatrix: BigUint64Array | Address | null;
};

export const v040Defaults = {
  model: { ...knownModelDefaults, load_mode: -1, lazy_mode: 1 },
  context: { ...knownContextDefaults, n_outputs_max_per_seq: 1 },
  quantize: {
    nthread: 0,
    ftype: 7,
    output_tensor_type: 43,
    token_embedding_type: 43,
    quantize_output_tensor: true,
    pure: false,
    max_buf_size: 8_589_934_592,
  },
} as const;

export interface QuantizeApi {
  readonly quantizeDefaultParams: () => QuantizeParams;
  readonly modelQuantize: (input: string, output: string, params: QuantizeParams) => number;
}

export function bindLlama(backend: EngineBackend): LlamaApi & QuantizeApi {
  declareStructs(modelParams, contextParams);
  koffi.struct('llama_model_quantize_params', quantizeParams);
  const backends = loadBackend(backend);
  const { llama } = backends;
  return {
    ...bindShared(backends),
    ...bindHiddenStates(llama),
    library: backend.llama,
    version: bindFunction<() => string>(llama, 'const char *llama_version()'),
    quantizeDefaultParams: bindFunction(llama, 'llama_model_quantize_params llama_model_quantize_default_params()'),
    modelQuantize: bindFunction(
      llama,
      'uint32 llama_model_quantize(const char *input, const char *output, llama_model_quantize_params *params)',
    ),
  };
}
