// Pointers into llama.cpp: numbers to us, each kind a type of its own so that they are not mixed up.

declare const brand: unique symbol;
export type Opaque<Name> = bigint & { readonly [brand]: Name };
export type ModelPointer = Opaque<'llama_model'>;
export type ContextPointer = Opaque<'llama_context'>;
export type VocabPointer = Opaque<'llama_vocab'>;
export type MemoryPointer = Opaque<'llama_memory'>;
export type SamplerPointer = Opaque<'llama_sampler'>;
export type AdapterPointer = Opaque<'llama_adapter_lora'>;
export type DevicePointer = Opaque<'ggml_backend_dev'>;
export type Address = Opaque<'address'>;
