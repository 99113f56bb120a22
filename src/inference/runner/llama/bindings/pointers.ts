// Pointers into llama.cpp: numbers with a distinct type for each kind, so that they cannot be confused.

declare const brand: unique symbol;
export type Opaque<Name> = bigint & { readonly [brand]: Name };
export type ModelPointer = Opaque<'llama_model'>;
export type ContextPointer = Opaque<'llama_context'>;
export type VocabPointer = Opaque<'llama_vocab'>;
export type MemoryPointer = Opaque<'llama_memory'>;
export type SamplerPointer = Opaque<'llama_sampler'>;
export type AdapterPointer = Opaque<'llama_adapter_lora'>;
export type TensorPointer = Opaque<'ggml_tensor'>;
export type DevicePointer = Opaque<'ggml_backend_dev'>;
export type Address = Opaque<'address'>;
