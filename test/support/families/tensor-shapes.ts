// Names and shapes of the tensors that the engine expects for the keys of a model. The engine creates such a model in
// memory and names each tensor, also those that a file may leave out. So only the keys of an architecture are written
// down here, and a new version of the engine shows what it changed.

import { join } from 'node:path';
import koffi from 'koffi';
import type { Address, ModelPointer } from '../../../src/inference/runner/llama/bindings/pointers.ts';
import type { ModelParams } from '../../../src/inference/runner/llama/bindings/structs.ts';
import { findBackend } from '../../../src/inference/runner/llama/find-backend.ts';
import { openBackend } from '../../../src/inference/runner/llama/open-backend.ts';
import type { Keys, Shapes } from '../architectures/tiny-model.ts';
import { writeGguf } from '../models/write-gguf.ts';

type OpenFile = (path: string, params: { no_alloc: boolean; context: null }) => Address | null;
type CreateModel = (metadata: Address, set: bigint, data: null, params: ModelParams) => ModelPointer | null;

export type FamilyEngine = ReturnType<typeof openFamilyEngine>;

/** At most once per process. `folder` is for its files. */
export function openFamilyEngine(folder: string) {
  const backend = findBackend('cpu');
  const api = openBackend(backend);
  const [base, llama] = [koffi.load(backend.base), koffi.load(backend.llama)];
  koffi.struct('gguf_init_params', { no_alloc: 'bool', context: 'void *' });
  const openFile = base.func('void *gguf_init_from_file(const char *path, gguf_init_params params)') as OpenFile;
  const closeFile = base.func('void gguf_free(void *file)') as (file: Address) => void;
  const nameOf = base.func('const char *ggml_get_name(void *tensor)') as (tensor: Address) => string;
  const dimensionsOf = base.func('int ggml_n_dims(void *tensor)') as (tensor: Address) => number;
  const architectureName = llama.func('const char *_Z13llm_arch_name8llm_arch(int number)') as (n: number) => string;
  const createModel = llama.func(
    'void *llama_model_init_from_user(void *metadata, void *set, void *data, llama_model_params params)',
  ) as CreateModel;
  const callback = koffi.proto('void set_tensor_data(void *tensor, void *data)');

  /** `optional` are names of tensors that the engine does not require. Throws what the engine says. */
  function shapesOf(keys: Keys, optional: readonly string[]): Shapes {
    const path = join(folder, 'keys.gguf');
    const shapes: [string, ...number[]][] = [];
    const collect = koffi.register((tensor: Address) => {
      // The sizes follow the type and the buffer in ggml_tensor.
      const sizes = Array.from(koffi.decode(tensor, 16, 'int64', 4) as Iterable<number | bigint>, Number);
      shapes.push([nameOf(tensor), ...sizes.slice(0, dimensionsOf(tensor))]);
    }, koffi.pointer(callback));
    const params = { ...api.modelDefaultParams(), use_extra_bufts: false, load_mtp: true };
    // The engine compares the number of tensors with those of the file, and says how many it expects.
    let log = '';
    for (let count = optional.length, tries = 0; tries < 3; tries++) {
      const names = Array.from({ length: count }, (_, index) => optional[index] ?? `tensor-${index}`);
      writeGguf(
        path,
        keys,
        names.map((name) => ({ name, shape: [1], type: 'F32', fill: () => {} })),
      );
      const file = openFile(path, { no_alloc: true, context: null }) as Address;
      log = '';
      const model = api.captureLog(
        (text) => {
          log += text;
        },
        () => createModel(file, collect, null, params),
      );
      closeFile(file);
      if (model !== null) {
        koffi.unregister(collect);
        api.captureLog(
          () => {},
          () => api.modelFree(model),
        );
        // A tensor with two uses is created twice.
        return [...new Map(shapes.map((shape) => [shape[0], shape])).values()];
      }
      const created = /tensors.*; expected \d+, got (\d+)/.exec(log)?.[1];
      if (created === undefined) break;
      count = Number(created);
    }
    koffi.unregister(collect);
    throw new Error(/error loading model: (.*)/.exec(log)?.[1] ?? log);
  }

  /** All that the library has. The last one stands for unknown names. */
  function architectures(): string[] {
    const names: string[] = [];
    for (let name = architectureName(0); !name.includes('unknown'); name = architectureName(names.length))
      names.push(name);
    return names;
  }

  return { api, shapesOf, architectures };
}
