// ggml's part of the C API for the tensors of a graph that is being computed.

import koffi, { type LibraryHandle } from 'koffi';
import { bindFunction } from './bind-function.ts';
import type { Address, TensorPointer } from './pointers.ts';

/**
 * Called for each operation of a graph. `ask`: whether the result is wanted; the graph is then computed up to there, and the
 * callback is called again without `ask`. If it returns false then, the rest is not computed.
 */
type EvalCallback = (tensor: TensorPointer, ask: boolean) => boolean;

koffi.proto('bool ggml_eval_callback(void *tensor, bool ask, void *user_data)');

export function bindGraph(base: LibraryHandle) {
  return {
    /** The name of an operation, such as MUL_MAT. */
    operationName: bindFunction<(operation: number) => string>(base, 'const char *ggml_op_name(int operation)'),
    tensorName: bindFunction<(tensor: TensorPointer) => string>(base, 'const char *ggml_get_name(void *tensor)'),
    /** From the first value to the last one, with what lies between them. */
    tensorBytes: bindFunction<(tensor: TensorPointer) => number>(base, 'size_t ggml_nbytes(void *tensor)'),
    /** Copies values to main memory, from a GPU too. */
    tensorGet: bindFunction<(tensor: TensorPointer, out: Uint8Array, offset: number, size: number) => void>(
      base,
      'void ggml_backend_tensor_get(void *tensor, void *data, size_t offset, size_t size)',
    ),
    /** Keeps a callback for the parameters of a context. The callback must not throw. */
    registerEvalCallback: (callback: EvalCallback): Address =>
      koffi.register(callback, 'ggml_eval_callback *') as unknown as Address,
  };
}
