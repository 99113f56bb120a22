// mtmd alone, as its library has it: it decodes the file, computes the prompt, and its own llama.cpp answers.

import koffi from 'koffi';
import { bindVision, loadVisionLibrary } from '../../../src/inference/runner/llama/bindings/b10257.ts';
import { bindFunction } from '../../../src/inference/runner/llama/bindings/bind-function.ts';
import type { MtmdPointer } from '../../../src/inference/runner/llama/bindings/mtmd-api.ts';
import type { Address, ModelPointer } from '../../../src/inference/runner/llama/bindings/pointers.ts';
import { findVisionBackend } from '../../../src/inference/runner/llama/find-backend.ts';
import type { TinyAudioFiles } from './tiny-audio.ts';

// The layout of this build, from its llama.h.
const contextParams = {
  ...{ n_ctx: 'uint32', n_batch: 'uint32', n_ubatch: 'uint32', n_seq_max: 'uint32', n_rs_seq: 'uint32' },
  ...{ n_outputs_max: 'uint32', n_threads: 'int32', n_threads_batch: 'int32', ctx_type: 'int32' },
  ...{ rope_scaling_type: 'int32', pooling_type: 'int32', attention_type: 'int32', flash_attn_type: 'int32' },
  ...{ rope_freq_base: 'float', rope_freq_scale: 'float', yarn_ext_factor: 'float', yarn_attn_factor: 'float' },
  ...{ yarn_beta_fast: 'float', yarn_beta_slow: 'float', yarn_orig_ctx: 'uint32', defrag_thold: 'float' },
  ...{ cb_eval: 'void *', cb_eval_user_data: 'void *', type_k: 'int32', type_v: 'int32' },
  ...{ abort_callback: 'void *', abort_callback_data: 'void *', embeddings: 'bool', offload_kqv: 'bool' },
  ...{ no_perf: 'bool', op_offload: 'bool', swa_full: 'bool', kv_unified: 'bool' },
  ...{ samplers: 'void *', n_samplers: 'size_t', ctx_other: 'void *' },
} as const;

/** `ask` returns the likeliest tokens without the excluded ones, and the positions of the prompt. A prompt has `{}` for the file. */
export function openDirectMtmd({ weightsPath, projectorPath }: TinyAudioFiles, excluded: readonly number[]) {
  const backend = findVisionBackend();
  const library = loadVisionLibrary(backend);
  const api = bindVision(library, backend);
  koffi.struct('direct_context_params', contextParams);
  koffi.struct('direct_batch', {
    ...{ n_tokens: 'int32', token: 'void *', embd: 'void *', pos: 'void *' },
    ...{ n_seq_id: 'void *', seq_id: 'void *', logits: 'void *' },
  });
  const bind = <Signature>(declaration: string): Signature => bindFunction<Signature>(library, declaration);
  const defaults = bind<() => object>('direct_context_params llama_context_default_params()');
  const newContext = bind<(model: ModelPointer, params: object) => Address>(
    'void *llama_init_from_model(void *model, direct_context_params params)',
  );
  const vocabularyOf = bind<(model: ModelPointer) => Address>('void *llama_model_get_vocab(void *model)');
  const sizeOf = bind<(vocabulary: Address) => number>('int32 llama_vocab_n_tokens(void *vocabulary)');
  const evaluate = bind<
    (mtmd: MtmdPointer, context: Address, chunks: unknown, ...rest: [...(number | boolean)[], number[]]) => number
  >(
    'int32 mtmd_helper_eval_chunks(void *mtmd, void *context, void *chunks, int32 past, int32 seq, int32 batch, bool logits, _Out_ int32 *positions)',
  );
  const logitsOf = bind<(context: Address, index: number) => Address>(
    'void *llama_get_logits_ith(void *context, int32 i)',
  );
  const batchOf = bind<(tokens: Int32Array, count: number) => object>(
    'direct_batch llama_batch_get_one(void *tokens, int32 count)',
  );
  const decode = bind<(context: Address, batch: object) => number>(
    'int32 llama_decode(void *context, direct_batch batch)',
  );
  const quiet = <Result>(work: () => Result): Result =>
    api.captureLog(
      () => {},
      () => api.captureMtmdLog(() => {}, work),
    );
  api.backendInit();
  const model = quiet(() =>
    api.modelLoad(weightsPath, { ...api.modelDefaultParams(), n_gpu_layers: 0 }),
  ) as ModelPointer;
  const params = { ...api.mtmdDefaultParams(), use_gpu: false, n_threads: 1, warmup: false };
  const mtmd = quiet(() => api.mtmdOpen(projectorPath, model, params)) as MtmdPointer;
  const vocabularySize = sizeOf(vocabularyOf(model));
  const likeliest = (context: Address): number => {
    const logits = new Float32Array(koffi.view(logitsOf(context, -1), 4 * vocabularySize));
    const allowed = logits.map((logit, token) => (excluded.includes(token) ? Number.NEGATIVE_INFINITY : logit));
    return allowed.indexOf(Math.max(...allowed));
  };

  const ask = (prompt: string, file: Uint8Array, count: number) => {
    const sizes = { n_ctx: 1024, n_batch: 512, n_threads: 1, n_threads_batch: 1 };
    const context = newContext(model, { ...defaults(), ...sizes });
    const { bitmap } = api.bitmapFromFile(mtmd, file, file.length, false);
    const text = prompt.replace('{}', api.mtmdMarker());
    const input = { text, text_len: Buffer.byteLength(text), add_special: true, parse_special: true };
    const chunks = api.chunksNew();
    if (api.chunksFromText(mtmd, chunks, input, BigUint64Array.of(bitmap as never), 1) !== 0)
      throw new Error('mtmd does not read the prompt');
    const positions = [0];
    if (evaluate(mtmd, context, chunks, 0, 0, 512, true, positions) !== 0) throw new Error('mtmd computes nothing');
    const tokens: number[] = [];
    const step = new Int32Array(1);
    while (tokens.length < count) {
      const token = likeliest(context);
      tokens.push(token);
      step[0] = token;
      if (decode(context, batchOf(step, 1)) !== 0) throw new Error('llama.cpp computes nothing');
    }
    return { tokens, positions: positions[0] as number };
  };
  return {
    ask: (...question: Parameters<typeof ask>): ReturnType<typeof ask> => quiet(() => ask(...question)),
  };
}
