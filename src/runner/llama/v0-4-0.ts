// The C API of llama.cpp v0.4.0, as far as it is used here: structs, functions and the default values that tell
// whether a library is the one that these structs describe. Another version gets another file.

import koffi, { type LibraryHandle } from 'koffi';
import type { EngineLibrary } from './find-library.ts';

declare const brand: unique symbol;
type Opaque<Name> = bigint & { readonly [brand]: Name };
export type ModelPointer = Opaque<'llama_model'>;
export type ContextPointer = Opaque<'llama_context'>;
export type VocabPointer = Opaque<'llama_vocab'>;
export type MemoryPointer = Opaque<'llama_memory'>;
export type SamplerPointer = Opaque<'llama_sampler'>;
export type AdapterPointer = Opaque<'llama_adapter_lora'>;
export type DevicePointer = Opaque<'ggml_backend_dev'>;
export type Address = Opaque<'address'>;

export const libraryVersion = '0.4.0-dev';

const pointer = 'void *';

const modelParams = {
  devices: pointer,
  tensor_buft_overrides: pointer,
  n_gpu_layers: 'int32',
  split_mode: 'int32',
  load_mode: 'int32',
  lazy_mode: 'int32',
  main_gpu: 'int32',
  tensor_split: pointer,
  progress_callback: pointer,
  progress_callback_user_data: pointer,
  kv_overrides: pointer,
  vocab_only: 'bool',
  check_tensors: 'bool',
  use_extra_bufts: 'bool',
  no_host: 'bool',
  no_alloc: 'bool',
  load_mtp: 'bool',
} as const;

const contextParams = {
  n_ctx: 'uint32',
  n_batch: 'uint32',
  n_ubatch: 'uint32',
  n_seq_max: 'uint32',
  n_rs_seq: 'uint32',
  n_outputs_max: 'uint32',
  n_outputs_max_per_seq: 'uint32',
  n_threads: 'int32',
  n_threads_batch: 'int32',
  ctx_type: 'int32',
  rope_scaling_type: 'int32',
  pooling_type: 'int32',
  attention_type: 'int32',
  flash_attn_type: 'int32',
  rope_freq_base: 'float',
  rope_freq_scale: 'float',
  yarn_ext_factor: 'float',
  yarn_attn_factor: 'float',
  yarn_beta_fast: 'float',
  yarn_beta_slow: 'float',
  yarn_orig_ctx: 'uint32',
  defrag_thold: 'float',
  cb_eval: pointer,
  cb_eval_user_data: pointer,
  type_k: 'int32',
  type_v: 'int32',
  abort_callback: pointer,
  abort_callback_data: pointer,
  embeddings: 'bool',
  offload_kqv: 'bool',
  no_perf: 'bool',
  op_offload: 'bool',
  swa_full: 'bool',
  kv_unified: 'bool',
  samplers: pointer,
  n_samplers: 'size_t',
  ctx_other: pointer,
} as const;

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

type StructValue<Fields> = {
  -readonly [Name in keyof Fields]: Fields[Name] extends 'bool'
    ? boolean
    : Fields[Name] extends 'void *'
      ? Address | null
      : number;
};
export type ModelParams = StructValue<typeof modelParams>;
export type ContextParams = StructValue<typeof contextParams>;
export type QuantizeParams = StructValue<typeof quantizeParams>;

/** A batch over memory of ours; see batch.ts. */
export interface BatchStruct {
  n_tokens: number;
  readonly token: Int32Array;
  readonly embd: null;
  readonly pos: Int32Array;
  readonly n_seq_id: Int32Array;
  readonly seq_id: BigUint64Array;
  readonly logits: Int8Array;
}

export interface ThreadpoolParams {
  readonly cpumask: readonly boolean[];
  readonly n_threads: number;
  readonly prio: number;
  readonly poll: number;
  readonly strict_cpu: boolean;
  readonly paused: boolean;
}

// What the known library answers. A library with other structs puts other numbers in these places.
export const knownDefaults = {
  model: {
    n_gpu_layers: -1,
    split_mode: 1,
    load_mode: -1,
    lazy_mode: 1,
    main_gpu: 0,
    vocab_only: false,
    use_extra_bufts: true,
  },
  context: {
    n_ctx: 512,
    n_batch: 2048,
    n_ubatch: 512,
    n_seq_max: 1,
    n_outputs_max_per_seq: 1,
    rope_scaling_type: -1,
    pooling_type: -1,
    flash_attn_type: -1,
    yarn_ext_factor: -1,
    defrag_thold: -1,
    type_k: 1,
    type_v: 1,
    offload_kqv: true,
    no_perf: true,
    swa_full: true,
    kv_unified: false,
    n_samplers: 0,
  },
  quantize: {
    nthread: 0,
    ftype: 7,
    output_tensor_type: 43,
    token_embedding_type: 43,
    quantize_output_tensor: true,
    pure: false,
    max_buf_size: 8_589_934_592,
  },
} satisfies { model: Partial<ModelParams>; context: Partial<ContextParams>; quantize: Partial<QuantizeParams> };

export type LlamaApi = ReturnType<typeof bindLlama>;

export function bindLlama(library: EngineLibrary) {
  koffi.struct('llama_model_params', modelParams);
  koffi.struct('llama_context_params', contextParams);
  koffi.struct('llama_model_quantize_params', quantizeParams);
  koffi.struct('llama_sampler_chain_params', { no_perf: 'bool' });
  koffi.struct('llama_batch', {
    n_tokens: 'int32',
    token: pointer,
    embd: pointer,
    pos: pointer,
    n_seq_id: pointer,
    seq_id: pointer,
    logits: pointer,
  });
  koffi.struct('ggml_threadpool_params', {
    cpumask: koffi.array('bool', 512),
    n_threads: 'int',
    prio: 'int',
    poll: 'uint32',
    strict_cpu: 'bool',
    paused: 'bool',
  });
  const base = koffi.load(library.base, { global: true });
  const ggml = koffi.load(library.ggml, { global: true });
  const llama = koffi.load(library.llama, { global: true });
  return { ...bindGgml(base, ggml), ...bindModel(llama), ...bindContext(llama), ...bindSamplers(llama) };
}

// koffi types every function as `any`; from here on they have the types of the header.
function bind<Signature>(library: LibraryHandle, declaration: string): Signature {
  return library.func(declaration) as Signature;
}

function bindGgml(base: LibraryHandle, ggml: LibraryHandle) {
  const procAddress = bind<(registry: Address, name: string) => Address | null>(
    base,
    'void *ggml_backend_reg_get_proc_address(void *reg, const char *name)',
  );
  const registryByName = bind<(name: string) => Address | null>(
    ggml,
    'void *ggml_backend_reg_by_name(const char *name)',
  );
  const threadpoolNew = koffi.proto('void *ggml_threadpool_new(ggml_threadpool_params *params)');
  return {
    loadBackends: bind<(folder: string) => void>(ggml, 'void ggml_backend_load_all_from_path(const char *dir)'),
    deviceCount: bind<() => number>(ggml, 'size_t ggml_backend_dev_count()'),
    deviceGet: bind<(index: number) => DevicePointer>(ggml, 'void *ggml_backend_dev_get(size_t index)'),
    deviceName: bind<(device: DevicePointer) => string>(base, 'const char *ggml_backend_dev_name(void *device)'),
    deviceDescription: bind<(device: DevicePointer) => string>(
      base,
      'const char *ggml_backend_dev_description(void *device)',
    ),
    /** 0 CPU, 1 GPU, 2 integrated GPU, 3 accelerator. */
    deviceType: bind<(device: DevicePointer) => number>(base, 'int ggml_backend_dev_type(void *device)'),
    deviceMemory: bind<(device: DevicePointer, free: [number], total: [number]) => void>(
      base,
      'void ggml_backend_dev_memory(void *device, _Out_ size_t *free, _Out_ size_t *total)',
    ),
    /** The CPU backend is a plug-in, so this function of it is not in any library that was linked. */
    threadpoolNew(params: ThreadpoolParams): Address | null {
      const registry = registryByName('CPU');
      const address = registry === null ? null : procAddress(registry, 'ggml_threadpool_new');
      return address === null ? null : (koffi.call(address, threadpoolNew, params) as Address | null);
    },
  };
}

function bindModel(llama: LibraryHandle) {
  return {
    version: bind<() => string>(llama, 'const char *llama_version()'),
    backendInit: bind<() => void>(llama, 'void llama_backend_init()'),
    numaInit: bind<(strategy: number) => void>(llama, 'void llama_numa_init(int strategy)'),
    modelDefaultParams: bind<() => ModelParams>(llama, 'llama_model_params llama_model_default_params()'),
    contextDefaultParams: bind<() => ContextParams>(llama, 'llama_context_params llama_context_default_params()'),
    quantizeDefaultParams: bind<() => QuantizeParams>(
      llama,
      'llama_model_quantize_params llama_model_quantize_default_params()',
    ),
    modelQuantize: bind<(input: string, output: string, params: QuantizeParams) => number>(
      llama,
      'uint32 llama_model_quantize(const char *input, const char *output, llama_model_quantize_params *params)',
    ),
    modelLoad: bind<(path: string, params: ModelParams) => ModelPointer | null>(
      llama,
      'void *llama_model_load_from_file(const char *path, llama_model_params params)',
    ),
    modelFree: bind<(model: ModelPointer) => void>(llama, 'void llama_model_free(void *model)'),
    modelTrainedContext: bind<(model: ModelPointer) => number>(llama, 'int32 llama_model_n_ctx_train(void *model)'),
    modelEmbeddingWidth: bind<(model: ModelPointer) => number>(llama, 'int32 llama_model_n_embd(void *model)'),
    modelLayers: bind<(model: ModelPointer) => number>(llama, 'int32 llama_model_n_layer(void *model)'),
    modelHeads: bind<(model: ModelPointer) => number>(llama, 'int32 llama_model_n_head(void *model)'),
    modelKvHeads: bind<(model: ModelPointer) => number>(llama, 'int32 llama_model_n_head_kv(void *model)'),
    modelIsRecurrent: bind<(model: ModelPointer) => boolean>(llama, 'bool llama_model_is_recurrent(void *model)'),
    modelIsHybrid: bind<(model: ModelPointer) => boolean>(llama, 'bool llama_model_is_hybrid(void *model)'),
    modelHasEncoder: bind<(model: ModelPointer) => boolean>(llama, 'bool llama_model_has_encoder(void *model)'),
    modelHasDecoder: bind<(model: ModelPointer) => boolean>(llama, 'bool llama_model_has_decoder(void *model)'),
    modelVocab: bind<(model: ModelPointer) => VocabPointer>(llama, 'void *llama_model_get_vocab(void *model)'),
    adapterLoad: bind<(model: ModelPointer, path: string) => AdapterPointer | null>(
      llama,
      'void *llama_adapter_lora_init(void *model, const char *path)',
    ),
    adaptersSet: bind<
      (context: ContextPointer, adapters: BigUint64Array, count: number, scales: Float32Array) => number
    >(llama, 'int32 llama_set_adapters_lora(void *context, void *adapters, size_t count, void *scales)'),
    vocabSize: bind<(vocab: VocabPointer) => number>(llama, 'int32 llama_vocab_n_tokens(void *vocab)'),
    vocabIsEnd: bind<(vocab: VocabPointer, token: number) => boolean>(
      llama,
      'bool llama_vocab_is_eog(void *vocab, int32 token)',
    ),
    vocabAttributes: bind<(vocab: VocabPointer, token: number) => number>(
      llama,
      'int llama_vocab_get_attr(void *vocab, int32 token)',
    ),
    vocabBos: bind<(vocab: VocabPointer) => number>(llama, 'int32 llama_vocab_bos(void *vocab)'),
    vocabNewline: bind<(vocab: VocabPointer) => number>(llama, 'int32 llama_vocab_nl(void *vocab)'),
    vocabAddsBos: bind<(vocab: VocabPointer) => boolean>(llama, 'bool llama_vocab_get_add_bos(void *vocab)'),
    tokenize: bind<
      (
        vocab: VocabPointer,
        text: Uint8Array,
        length: number,
        out: Int32Array,
        room: number,
        addSpecial: boolean,
        parseSpecial: boolean,
      ) => number
    >(
      llama,
      'int32 llama_tokenize(void *vocab, const uint8 *text, int32 length, int32 *out, int32 room, bool add_special, bool parse_special)',
    ),
    tokenToPiece: bind<
      (vocab: VocabPointer, token: number, out: Uint8Array, room: number, leftStrip: number, special: boolean) => number
    >(
      llama,
      'int32 llama_token_to_piece(void *vocab, int32 token, uint8 *out, int32 room, int32 lstrip, bool special)',
    ),
  };
}

function bindContext(llama: LibraryHandle) {
  return {
    contextNew: bind<(model: ModelPointer, params: ContextParams) => ContextPointer | null>(
      llama,
      'void *llama_init_from_model(void *model, llama_context_params params)',
    ),
    contextFree: bind<(context: ContextPointer) => void>(llama, 'void llama_free(void *context)'),
    attachThreadpool: bind<(context: ContextPointer, pool: Address, batchPool: Address) => void>(
      llama,
      'void llama_attach_threadpool(void *context, void *pool, void *batch_pool)',
    ),
    decode: bind<(context: ContextPointer, batch: BatchStruct) => number>(
      llama,
      'int32 llama_decode(void *context, llama_batch batch)',
    ),
    synchronize: bind<(context: ContextPointer) => void>(llama, 'void llama_synchronize(void *context)'),
    logitsAt: bind<(context: ContextPointer, index: number) => Address | null>(
      llama,
      'void *llama_get_logits_ith(void *context, int32 index)',
    ),
    memory: bind<(context: ContextPointer) => MemoryPointer | null>(llama, 'void *llama_get_memory(void *context)'),
    memoryClear: bind<(memory: MemoryPointer, data: boolean) => void>(
      llama,
      'void llama_memory_clear(void *memory, bool data)',
    ),
    memoryRemove: bind<(memory: MemoryPointer, sequence: number, from: number, to: number) => boolean>(
      llama,
      'bool llama_memory_seq_rm(void *memory, int32 seq, int32 p0, int32 p1)',
    ),
    memoryAdd: bind<(memory: MemoryPointer, sequence: number, from: number, to: number, delta: number) => void>(
      llama,
      'void llama_memory_seq_add(void *memory, int32 seq, int32 p0, int32 p1, int32 delta)',
    ),
    memoryCanShift: bind<(memory: MemoryPointer) => boolean>(llama, 'bool llama_memory_can_shift(void *memory)'),
    stateSize: bind<(context: ContextPointer, sequence: number) => number>(
      llama,
      'size_t llama_state_seq_get_size(void *context, int32 seq)',
    ),
    stateGet: bind<(context: ContextPointer, out: Uint8Array, size: number, sequence: number) => number>(
      llama,
      'size_t llama_state_seq_get_data(void *context, uint8 *out, size_t size, int32 seq)',
    ),
    stateSet: bind<(context: ContextPointer, data: Uint8Array, size: number, sequence: number) => number>(
      llama,
      'size_t llama_state_seq_set_data(void *context, const uint8 *data, size_t size, int32 seq)',
    ),
  };
}

function bindSamplers(llama: LibraryHandle) {
  const initChain = bind<(params: { no_perf: boolean }) => SamplerPointer>(
    llama,
    'void *llama_sampler_chain_init(llama_sampler_chain_params params)',
  );
  return {
    samplerChain: (): SamplerPointer => initChain({ no_perf: true }),
    samplerChainAdd: bind<(chain: SamplerPointer, sampler: SamplerPointer) => void>(
      llama,
      'void llama_sampler_chain_add(void *chain, void *sampler)',
    ),
    samplerFree: bind<(sampler: SamplerPointer) => void>(llama, 'void llama_sampler_free(void *sampler)'),
    samplerSample: bind<(sampler: SamplerPointer, context: ContextPointer, index: number) => number>(
      llama,
      'int32 llama_sampler_sample(void *sampler, void *context, int32 index)',
    ),
    samplerApply: bind<(sampler: SamplerPointer, candidates: Uint8Array) => void>(
      llama,
      'void llama_sampler_apply(void *sampler, void *candidates)',
    ),
    samplerAccept: bind<(sampler: SamplerPointer, token: number) => void>(
      llama,
      'void llama_sampler_accept(void *sampler, int32 token)',
    ),
    samplerGreedy: bind<() => SamplerPointer>(llama, 'void *llama_sampler_init_greedy()'),
    samplerDistribution: bind<(seed: number) => SamplerPointer>(llama, 'void *llama_sampler_init_dist(uint32 seed)'),
    samplerTopK: bind<(k: number) => SamplerPointer>(llama, 'void *llama_sampler_init_top_k(int32 k)'),
    samplerTopP: bind<(p: number, keep: number) => SamplerPointer>(
      llama,
      'void *llama_sampler_init_top_p(float p, size_t keep)',
    ),
    samplerMinP: bind<(p: number, keep: number) => SamplerPointer>(
      llama,
      'void *llama_sampler_init_min_p(float p, size_t keep)',
    ),
    samplerTypical: bind<(p: number, keep: number) => SamplerPointer>(
      llama,
      'void *llama_sampler_init_typical(float p, size_t keep)',
    ),
    samplerTemperature: bind<(t: number) => SamplerPointer>(llama, 'void *llama_sampler_init_temp(float t)'),
    samplerMirostat: bind<(vocabulary: number, seed: number, tau: number, eta: number, m: number) => SamplerPointer>(
      llama,
      'void *llama_sampler_init_mirostat(int32 n_vocab, uint32 seed, float tau, float eta, int32 m)',
    ),
    samplerMirostat2: bind<(seed: number, tau: number, eta: number) => SamplerPointer>(
      llama,
      'void *llama_sampler_init_mirostat_v2(uint32 seed, float tau, float eta)',
    ),
    samplerGrammar: bind<(vocab: VocabPointer, grammar: string, root: string) => SamplerPointer | null>(
      llama,
      'void *llama_sampler_init_grammar(void *vocab, const char *grammar, const char *root)',
    ),
  };
}
