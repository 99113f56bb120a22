// The structs of llama.cpp's C API. The file of a version joins the parts, with its own fields between them.

import koffi from 'koffi';
import type { Address } from './pointers.ts';

export const pointer = 'void *';

/** The fields before the first difference between versions. */
export const modelParamsStart = {
  devices: pointer,
  tensor_buft_overrides: pointer,
  n_gpu_layers: 'int32',
  split_mode: 'int32',
  load_mode: 'int32',
} as const;

export const modelParamsEnd = {
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
} as const;

export const contextParamsStart = {
  n_ctx: 'uint32',
  n_batch: 'uint32',
  n_ubatch: 'uint32',
  n_seq_max: 'uint32',
  n_rs_seq: 'uint32',
  n_outputs_max: 'uint32',
} as const;

export const contextParamsEnd = {
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

export type StructValue<Fields> = {
  -readonly [Name in keyof Fields]: Fields[Name] extends 'bool'
    ? boolean
    : Fields[Name] extends 'void *'
      ? Address | null
      : number;
};
/** Values also have the fields of a single version, because they are copied from its defaults. */
export type ModelParams = Omit<
  StructValue<typeof modelParamsStart & typeof modelParamsEnd>,
  'tensor_split' | 'tensor_buft_overrides'
> & {
  tensor_buft_overrides: BigUint64Array | Address | null;
  tensor_split: Float32Array | Address | null;
  /** Whether prediction heads are loaded. Absent in versions that have none. */
  load_mtp?: boolean;
};
export type ContextParams = StructValue<typeof contextParamsStart & typeof contextParamsEnd>;

interface BatchRows {
  n_tokens: number;
  readonly pos: Int32Array;
  readonly n_seq_id: Int32Array;
  readonly seq_id: BigUint64Array;
  readonly logits: Int8Array;
}

/** See batch.ts. */
export interface TokenBatchStruct extends BatchRows {
  readonly token: Int32Array;
  /** A vector for each token. Only prediction heads take both. */
  readonly embd: Float32Array | null;
}

/** See embedding-batch.ts. */
export interface EmbeddingBatchStruct extends BatchRows {
  readonly token: null;
  readonly embd: Float32Array;
}

export type BatchStruct = TokenBatchStruct | EmbeddingBatchStruct;

export interface ThreadpoolParams {
  readonly cpumask: readonly boolean[];
  readonly n_threads: number;
  readonly prio: number;
  readonly poll: number;
  readonly strict_cpu: boolean;
  readonly paused: boolean;
}

type Fields = Readonly<Record<string, string>>;
/** Expected default values, by field. A backend with other structs has other numbers there. */
export type KnownValues = Readonly<Record<string, number | boolean>>;

// The same in every version.
export const knownModelDefaults = {
  n_gpu_layers: -1,
  split_mode: 1,
  main_gpu: 0,
  vocab_only: false,
  use_extra_bufts: true,
} as const;

export const knownContextDefaults = {
  n_ctx: 512,
  n_batch: 2048,
  n_ubatch: 512,
  n_seq_max: 1,
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
} as const;

/** Declares the structs to koffi by name. At most once per process. */
export function declareStructs(modelParams: Fields, contextParams: Fields): void {
  koffi.struct('llama_model_params', modelParams);
  koffi.struct('llama_context_params', contextParams);
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
}
