// The C API of llama.cpp around a model: loading it, its shape, its adapters.

import type { LibraryHandle } from 'koffi';
import { bindFunction } from './bind-function.ts';
import type { AdapterPointer, Address, ContextPointer, ModelPointer, VocabPointer } from './pointers.ts';
import type { ContextParams, ModelParams } from './structs.ts';

export function bindModel(llama: LibraryHandle) {
  return {
    backendInit: bindFunction<() => void>(llama, 'void llama_backend_init()'),
    numaInit: bindFunction<(strategy: number) => void>(llama, 'void llama_numa_init(int strategy)'),
    modelDefaultParams: bindFunction<() => ModelParams>(llama, 'llama_model_params llama_model_default_params()'),
    contextDefaultParams: bindFunction<() => ContextParams>(
      llama,
      'llama_context_params llama_context_default_params()',
    ),
    modelLoad: bindFunction<(path: string, params: ModelParams) => ModelPointer | null>(
      llama,
      'void *llama_model_load_from_file(const char *path, llama_model_params params)',
    ),
    modelLoadStream: bindFunction<(file: Address, params: ModelParams) => ModelPointer | null>(
      llama,
      'void *llama_model_load_from_file_ptr(void *file, llama_model_params params)',
    ),
    modelFree: bindFunction<(model: ModelPointer) => void>(llama, 'void llama_model_free(void *model)'),
    modelTrainedContext: bindFunction<(model: ModelPointer) => number>(
      llama,
      'int32 llama_model_n_ctx_train(void *model)',
    ),
    modelEmbeddingWidth: bindFunction<(model: ModelPointer) => number>(llama, 'int32 llama_model_n_embd(void *model)'),
    /** Width of its output vectors. The internal width may differ. */
    modelOutputWidth: bindFunction<(model: ModelPointer) => number>(llama, 'int32 llama_model_n_embd_out(void *model)'),
    /** Number of scores of a reranker. */
    modelClassifierOutputs: bindFunction<(model: ModelPointer) => number>(
      llama,
      'uint32 llama_model_n_cls_out(void *model)',
    ),
    modelIsRecurrent: bindFunction<(model: ModelPointer) => boolean>(
      llama,
      'bool llama_model_is_recurrent(void *model)',
    ),
    modelIsHybrid: bindFunction<(model: ModelPointer) => boolean>(llama, 'bool llama_model_is_hybrid(void *model)'),
    modelHasDecoder: bindFunction<(model: ModelPointer) => boolean>(llama, 'bool llama_model_has_decoder(void *model)'),
    /** Bytes of all weights. */
    modelBytes: bindFunction<(model: ModelPointer) => number>(llama, 'uint64 llama_model_size(void *model)'),
    modelVocab: bindFunction<(model: ModelPointer) => VocabPointer>(llama, 'void *llama_model_get_vocab(void *model)'),
    adapterLoad: bindFunction<(model: ModelPointer, path: string) => AdapterPointer | null>(
      llama,
      'void *llama_adapter_lora_init(void *model, const char *path)',
    ),
    adaptersSet: bindFunction<
      (context: ContextPointer, adapters: BigUint64Array, count: number, scales: Float32Array) => number
    >(llama, 'int32 llama_set_adapters_lora(void *context, void *adapters, size_t count, void *scales)'),
  };
}
