// whisper.cpp of @fugood/node-whisper 1.1.1: the functions that are used here, from its whisper.h and miniaudio.h. One file
// holds everything, also the decoder of audio files.

import koffi from 'koffi';
import { HearthError } from '../../base/errors.ts';
import { setVariable } from '../../base/process/child-program.ts';
import { entryOfPackage, thisMachine } from '../../inference/backends/engine-package.ts';
import { bindFunction, inThread } from '../../inference/runner/llama/bindings/bind-function.ts';
import type { Address, Opaque } from '../../inference/runner/llama/bindings/pointers.ts';
import { pointer, type StructValue } from '../../inference/runner/llama/bindings/structs.ts';

export type WhisperPointer = Opaque<'whisper_context'>;

const contextParams = {
  use_gpu: 'bool',
  flash_attn: 'bool',
  gpu_device: 'int',
  dtw_token_timestamps: 'bool',
  dtw_aheads_preset: 'int',
  dtw_n_top: 'int',
  n_heads: 'size_t',
  heads: pointer,
  dtw_mem_size: 'size_t',
} as const;

const fullParams = {
  strategy: 'int',
  n_threads: 'int',
  n_max_text_ctx: 'int',
  offset_ms: 'int',
  duration_ms: 'int',
  translate: 'bool',
  no_context: 'bool',
  no_timestamps: 'bool',
  single_segment: 'bool',
  print_special: 'bool',
  print_progress: 'bool',
  print_realtime: 'bool',
  print_timestamps: 'bool',
  token_timestamps: 'bool',
  thold_pt: 'float',
  thold_ptsum: 'float',
  max_len: 'int',
  split_on_word: 'bool',
  max_tokens: 'int',
  debug_mode: 'bool',
  audio_ctx: 'int',
  tdrz_enable: 'bool',
  suppress_regex: pointer,
  initial_prompt: 'const char *',
  carry_initial_prompt: 'bool',
  prompt_tokens: pointer,
  prompt_n_tokens: 'int',
  language: 'const char *',
  detect_language: 'bool',
  suppress_blank: 'bool',
  suppress_nst: 'bool',
  temperature: 'float',
  max_initial_ts: 'float',
  length_penalty: 'float',
  temperature_inc: 'float',
  entropy_thold: 'float',
  logprob_thold: 'float',
  no_speech_thold: 'float',
  best_of: 'int',
  beam_size: 'int',
  patience: 'float',
  new_segment_callback: pointer,
  new_segment_callback_user_data: pointer,
  progress_callback: pointer,
  progress_callback_user_data: pointer,
  encoder_begin_callback: pointer,
  encoder_begin_callback_user_data: pointer,
  abort_callback: pointer,
  abort_callback_user_data: pointer,
  logits_filter_callback: pointer,
  logits_filter_callback_user_data: pointer,
  grammar_rules: pointer,
  n_grammar_rules: 'size_t',
  i_start_rule: 'size_t',
  grammar_penalty: 'float',
  vad: 'bool',
  vad_model_path: pointer,
  vad_threshold: 'float',
  vad_min_speech: 'int',
  vad_min_silence: 'int',
  vad_max_speech: 'float',
  vad_pad: 'int',
  vad_overlap: 'float',
} as const;

const tokenData = {
  id: 'int32',
  tid: 'int32',
  p: 'float',
  plog: 'float',
  pt: 'float',
  ptsum: 'float',
  t0: 'int64',
  t1: 'int64',
  t_dtw: 'int64',
  vlen: 'float',
} as const;

type ContextParams = StructValue<typeof contextParams>;
type FullParams = Omit<StructValue<typeof fullParams>, 'initial_prompt' | 'language' | 'abort_callback_user_data'> & {
  readonly initial_prompt: string | null;
  readonly language: string;
  readonly abort_callback_user_data: Uint8Array | null;
};
type TokenData = StructValue<typeof tokenData>;

/** A library whose structs differ would have other defaults. */
const known = { temperature_inc: 0.2, entropy_thold: 2.4, grammar_penalty: 100, vad_threshold: 0.5, vad_overlap: 0.1 };
const nearly = 1e-6;

export type WhisperApi = ReturnType<typeof openWhisper>;

/** Throws `load_failed`. */
export function openWhisper() {
  const name = `@fugood/node-whisper-${thisMachine.platform}-${thisMachine.arch}`;
  const entry = entryOfPackage(name);
  if (entry === undefined) throw new HearthError('load_failed', `${name} is not installed`);
  // The threads of the library would keep the processors busy while they wait for each other, also those that a chat needs.
  setVariable('OMP_WAIT_POLICY', 'passive');
  const library = koffi.load(entry);
  koffi.struct('whisper_context_params', contextParams);
  koffi.struct('whisper_full_params', fullParams);
  koffi.struct('whisper_token_data', tokenData);
  // Larger than the real one, which is only handed on.
  koffi.struct('ma_decoder_config', { bytes: koffi.array('uint8', 1024) });
  const bind = <Signature>(declaration: string): Signature => bindFunction<Signature>(library, declaration);
  type Get<Result> = (whisper: WhisperPointer, segment: number) => Result;
  const api = {
    contextDefaults: bind<() => ContextParams>('whisper_context_params whisper_context_default_params()'),
    fullDefaults: bind<(strategy: number) => FullParams>(
      'whisper_full_params whisper_full_default_params(int strategy)',
    ),
    open: bind<(path: string, params: ContextParams) => WhisperPointer | null>(
      'void *whisper_init_from_file_with_params(const char *path, whisper_context_params params)',
    ),
    run: inThread(
      bind<(whisper: WhisperPointer, params: FullParams, samples: Float32Array, count: number) => number>(
        'int whisper_full(void *whisper, whisper_full_params params, void *samples, int count)',
      ),
    ),
    isMultilingual: bind<(whisper: WhisperPointer) => number>('int whisper_is_multilingual(void *whisper)'),
    firstTime: bind<(whisper: WhisperPointer) => number>('int whisper_token_beg(void *whisper)'),
    endOfText: bind<(whisper: WhisperPointer) => number>('int whisper_token_eot(void *whisper)'),
    languageId: bind<(name: string) => number>('int whisper_lang_id(const char *name)'),
    foundLanguage: bind<(whisper: WhisperPointer) => number>('int whisper_full_lang_id(void *whisper)'),
    languageCode: bind<(id: number) => string | null>('const char *whisper_lang_str(int id)'),
    languageName: bind<(id: number) => string | null>('const char *whisper_lang_str_full(int id)'),
    segments: bind<(whisper: WhisperPointer) => number>('int whisper_full_n_segments(void *whisper)'),
    noSpeech: bind<Get<number>>('float whisper_full_get_segment_no_speech_prob(void *whisper, int segment)'),
    tokens: bind<Get<number>>('int whisper_full_n_tokens(void *whisper, int segment)'),
    tokenData: bind<(whisper: WhisperPointer, segment: number, token: number) => TokenData>(
      'whisper_token_data whisper_full_get_token_data(void *whisper, int segment, int token)',
    ),
    tokenText: bind<(whisper: WhisperPointer, token: number) => Address>(
      'void *whisper_token_to_str(void *whisper, int token)',
    ),
    lengthOf: bindFunction<(text: Address) => number>(koffi.load(null), 'size_t strlen(void *text)'),
    decoderConfig: bind<(format: number, channels: number, rate: number) => { readonly bytes: Uint8Array }>(
      'ma_decoder_config ma_decoder_config_init(int format, uint32 channels, uint32 rate)',
    ),
    decoderOpen: bind<(file: Uint8Array, size: number, config: Uint8Array, decoder: Uint8Array) => number>(
      'int ma_decoder_init_memory(void *file, size_t size, void *config, void *decoder)',
    ),
    decoderRead: bind<(decoder: Uint8Array, samples: Float32Array, count: number, read: BigUint64Array) => number>(
      'int ma_decoder_read_pcm_frames(void *decoder, void *samples, uint64 count, void *read)',
    ),
    decoderClose: bind<(decoder: Uint8Array) => number>('int ma_decoder_uninit(void *decoder)'),
  };
  const defaults = api.fullDefaults(0) as unknown as Readonly<Record<string, unknown>>;
  const differs = Object.entries(known).some(([field, value]) => Math.abs(Number(defaults[field]) - value) > nearly);
  if (differs) throw new HearthError('load_failed', `${name} is not the version that this server knows`);
  return api;
}
