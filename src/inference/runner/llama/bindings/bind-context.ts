// The C API of llama.cpp around a context: decoding, and the KV cache.

import type { LibraryHandle } from 'koffi';
import { bindFunction } from './bind-function.ts';
import type { Address, ContextPointer, MemoryPointer, ModelPointer } from './pointers.ts';
import type { BatchStruct, ContextParams } from './structs.ts';

export function bindContext(llama: LibraryHandle) {
  return {
    contextNew: bindFunction<(model: ModelPointer, params: ContextParams) => ContextPointer | null>(
      llama,
      'void *llama_init_from_model(void *model, llama_context_params params)',
    ),
    contextFree: bindFunction<(context: ContextPointer) => void>(llama, 'void llama_free(void *context)'),
    attachThreadpool: bindFunction<(context: ContextPointer, pool: Address, batchPool: Address) => void>(
      llama,
      'void llama_attach_threadpool(void *context, void *pool, void *batch_pool)',
    ),
    setThreads: bindFunction<(context: ContextPointer, threads: number, batchThreads: number) => void>(
      llama,
      'void llama_set_n_threads(void *context, int32 threads, int32 batch_threads)',
    ),
    decode: bindFunction<(context: ContextPointer, batch: BatchStruct) => number>(
      llama,
      'int32 llama_decode(void *context, llama_batch batch)',
    ),
    /** The callback runs on the calling thread after each operation of a graph, and ends the decode if it returns true. */
    setAbortCallback: bindFunction<(context: ContextPointer, callback: Address, data: Uint8Array) => void>(
      llama,
      'void llama_set_abort_callback(void *context, void *callback, void *data)',
    ),
    /** False: in the next decodes, tokens attend to the ones after them too. */
    setCausalAttention: bindFunction<(context: ContextPointer, enabled: boolean) => void>(
      llama,
      'void llama_set_causal_attn(void *context, bool enabled)',
    ),
    synchronize: bindFunction<(context: ContextPointer) => void>(llama, 'void llama_synchronize(void *context)'),
    logitsAt: bindFunction<(context: ContextPointer, index: number) => Address | null>(
      llama,
      'void *llama_get_logits_ith(void *context, int32 index)',
    ),
    /** True: the next decodes compute a vector for every row. False: only logits, for rows that want them. */
    setEmbeddings: bindFunction<(context: ContextPointer, enabled: boolean) => void>(
      llama,
      'void llama_set_embeddings(void *context, bool embeddings)',
    ),
    embeddingAt: bindFunction<(context: ContextPointer, row: number) => Address | null>(
      llama,
      'void *llama_get_embeddings_ith(void *context, int32 index)',
    ),
    embeddingOf: bindFunction<(context: ContextPointer, sequence: number) => Address | null>(
      llama,
      'void *llama_get_embeddings_seq(void *context, int32 seq)',
    ),
    memory: bindFunction<(context: ContextPointer) => MemoryPointer | null>(
      llama,
      'void *llama_get_memory(void *context)',
    ),
    memoryClear: bindFunction<(memory: MemoryPointer, data: boolean) => void>(
      llama,
      'void llama_memory_clear(void *memory, bool data)',
    ),
    memoryRemove: bindFunction<(memory: MemoryPointer, sequence: number, from: number, to: number) => boolean>(
      llama,
      'bool llama_memory_seq_rm(void *memory, int32 seq, int32 p0, int32 p1)',
    ),
    memoryCopy: bindFunction<(memory: MemoryPointer, from: number, to: number, p0: number, p1: number) => void>(
      llama,
      'void llama_memory_seq_cp(void *memory, int32 seq_src, int32 seq_dst, int32 p0, int32 p1)',
    ),
    memoryAdd: bindFunction<(memory: MemoryPointer, sequence: number, from: number, to: number, delta: number) => void>(
      llama,
      'void llama_memory_seq_add(void *memory, int32 seq, int32 p0, int32 p1, int32 delta)',
    ),
    /** The smallest position of a sequence, -1 if it is empty. Of a windowed cache, that of the layers with a window. */
    memoryFirstPosition: bindFunction<(memory: MemoryPointer, sequence: number) => number>(
      llama,
      'int32 llama_memory_seq_pos_min(void *memory, int32 seq)',
    ),
    memoryCanShift: bindFunction<(memory: MemoryPointer) => boolean>(
      llama,
      'bool llama_memory_can_shift(void *memory)',
    ),
    /** How many of the last tokens of a sequence a recurrent state can forget. */
    contextRollback: bindFunction<(context: ContextPointer) => number>(llama, 'uint32 llama_n_rs_seq(void *context)'),
    stateSize: bindFunction<(context: ContextPointer, sequence: number, flags: number) => number>(
      llama,
      'size_t llama_state_seq_get_size_ext(void *context, int32 seq, uint32 flags)',
    ),
    stateGet: bindFunction<
      (context: ContextPointer, out: Uint8Array, size: number, sequence: number, flags: number) => number
    >(llama, 'size_t llama_state_seq_get_data_ext(void *context, uint8 *out, size_t size, int32 seq, uint32 flags)'),
    stateSet: bindFunction<
      (context: ContextPointer, data: Uint8Array, size: number, sequence: number, flags: number) => number
    >(
      llama,
      'size_t llama_state_seq_set_data_ext(void *context, const uint8 *data, size_t size, int32 seq, uint32 flags)',
    ),
  };
}
