// The C API of mtmd, llama.cpp's multimodal library, in b10257.

import koffi, { type LibraryHandle } from 'koffi';
import { bindFunction } from './bind-function.ts';
import { bindLogCapture } from './bind-log.ts';
import type { Address, ModelPointer, Opaque } from './pointers.ts';
import { pointer, type StructValue } from './structs.ts';

export type MtmdPointer = Opaque<'mtmd_context'>;
export type BitmapPointer = Opaque<'mtmd_bitmap'>;
export type ChunksPointer = Opaque<'mtmd_input_chunks'>;
export type ChunkPointer = Opaque<'mtmd_input_chunk'>;
type ImageTokensPointer = Opaque<'mtmd_image_tokens'>;

const mtmdParams = {
  use_gpu: 'bool',
  print_timings: 'bool',
  n_threads: 'int32',
  image_marker: pointer,
  media_marker: pointer,
  flash_attn_type: 'int32',
  warmup: 'bool',
  image_min_tokens: 'int32',
  image_max_tokens: 'int32',
  cb_eval: pointer,
  cb_eval_user_data: pointer,
  batch_max_tokens: 'int32',
  progress_callback: pointer,
  progress_callback_user_data: pointer,
} as const;
type MtmdParams = StructValue<typeof mtmdParams>;

interface InputText {
  readonly text: string;
  readonly text_len: number;
  readonly add_special: boolean;
  readonly parse_special: boolean;
}

/** Results of `mtmd_input_chunk_get_type`. */
export const chunkTypes = { text: 0, image: 1, audio: 2 } as const;

export function bindMtmd(backend: LibraryHandle) {
  koffi.struct('mtmd_context_params', mtmdParams);
  koffi.struct('mtmd_input_text', {
    text: 'const char *',
    text_len: 'size_t',
    add_special: 'bool',
    parse_special: 'bool',
  });
  koffi.struct('mtmd_helper_bitmap_wrapper', { bitmap: pointer, video: pointer });
  return {
    ...bindProjector(backend),
    ...bindBitmaps(backend),
    ...bindChunks(backend),
    captureMtmdLog: bindLogCapture(backend, 'mtmd_log_set'),
  };
}

function bindProjector(backend: LibraryHandle) {
  return {
    mtmdDefaultParams: bindFunction<() => MtmdParams>(backend, 'mtmd_context_params mtmd_context_params_default()'),
    mtmdOpen: bindFunction<(path: string, model: ModelPointer, params: MtmdParams) => MtmdPointer | null>(
      backend,
      'void *mtmd_init_from_file(const char *path, void *model, mtmd_context_params params)',
    ),
    mtmdMarker: bindFunction<() => string>(backend, 'const char *mtmd_default_marker()'),
    mtmdSupportsVision: bindFunction<(mtmd: MtmdPointer) => boolean>(backend, 'bool mtmd_support_vision(void *mtmd)'),
    mtmdSupportsAudio: bindFunction<(mtmd: MtmdPointer) => boolean>(backend, 'bool mtmd_support_audio(void *mtmd)'),
    /** Samples per second. */
    mtmdAudioRate: bindFunction<(mtmd: MtmdPointer) => number>(backend, 'int mtmd_get_audio_sample_rate(void *mtmd)'),
    /** Whether the tokens of an image attend to each other, and must be evaluated in one pass. */
    mtmdIsNonCausal: bindFunction<(mtmd: MtmdPointer, chunk: ChunkPointer) => boolean>(
      backend,
      'bool mtmd_decode_use_non_causal(void *mtmd, void *chunk)',
    ),
    /** Whether a token of an image has several positions: its row, its column and others. */
    mtmdUsesMrope: bindFunction<(mtmd: MtmdPointer) => boolean>(backend, 'bool mtmd_decode_use_mrope(void *mtmd)'),
  };
}

function bindBitmaps(backend: LibraryHandle) {
  return {
    bitmapFromFile: bindFunction<
      (
        mtmd: MtmdPointer,
        bytes: Uint8Array,
        length: number,
        placeholder: boolean,
      ) => { readonly bitmap: BitmapPointer | null; readonly video: Address | null }
    >(
      backend,
      'mtmd_helper_bitmap_wrapper mtmd_helper_bitmap_init_from_buf(void *mtmd, const uint8 *bytes, size_t length, bool placeholder)',
    ),
    bitmapFromPixels: bindFunction<(width: number, height: number, rgb: Uint8Array) => BitmapPointer>(
      backend,
      'void *mtmd_bitmap_init(uint32 width, uint32 height, const uint8 *rgb)',
    ),
    bitmapFromSamples: bindFunction<(count: number, samples: Float32Array) => BitmapPointer>(
      backend,
      'void *mtmd_bitmap_init_from_audio(size_t count, const float *samples)',
    ),
    bitmapWidth: bindFunction<(bitmap: BitmapPointer) => number>(backend, 'uint32 mtmd_bitmap_get_nx(void *bitmap)'),
    bitmapHeight: bindFunction<(bitmap: BitmapPointer) => number>(backend, 'uint32 mtmd_bitmap_get_ny(void *bitmap)'),
    bitmapPixels: bindFunction<(bitmap: BitmapPointer) => Address>(backend, 'void *mtmd_bitmap_get_data(void *bitmap)'),
    bitmapIsAudio: bindFunction<(bitmap: BitmapPointer) => boolean>(backend, 'bool mtmd_bitmap_is_audio(void *bitmap)'),
    bitmapFree: bindFunction<(bitmap: BitmapPointer) => void>(backend, 'void mtmd_bitmap_free(void *bitmap)'),
    videoFree: bindFunction<(video: Address) => void>(backend, 'void mtmd_helper_video_free(void *video)'),
  };
}

function bindChunks(backend: LibraryHandle) {
  return {
    chunksNew: bindFunction<() => ChunksPointer>(backend, 'void *mtmd_input_chunks_init()'),
    chunksFree: bindFunction<(chunks: ChunksPointer) => void>(backend, 'void mtmd_input_chunks_free(void *chunks)'),
    chunksSize: bindFunction<(chunks: ChunksPointer) => number>(backend, 'size_t mtmd_input_chunks_size(void *chunks)'),
    chunkAt: bindFunction<(chunks: ChunksPointer, index: number) => ChunkPointer>(
      backend,
      'void *mtmd_input_chunks_get(void *chunks, size_t index)',
    ),
    /** Fills `chunks`; 0 is success. */
    chunksFromText: bindFunction<
      (
        mtmd: MtmdPointer,
        chunks: ChunksPointer,
        text: InputText,
        bitmaps: BigUint64Array,
        bitmapCount: number,
      ) => number
    >(
      backend,
      'int32 mtmd_tokenize(void *mtmd, void *chunks, mtmd_input_text *text, void *bitmaps, size_t bitmap_count)',
    ),
    chunkType: bindFunction<(chunk: ChunkPointer) => number>(backend, 'int mtmd_input_chunk_get_type(void *chunk)'),
    chunkTokenCount: bindFunction<(chunk: ChunkPointer) => number>(
      backend,
      'size_t mtmd_input_chunk_get_n_tokens(void *chunk)',
    ),
    chunkPositions: bindFunction<(chunk: ChunkPointer) => number>(
      backend,
      'int32 mtmd_input_chunk_get_n_pos(void *chunk)',
    ),
    chunkTextTokens: bindFunction<(chunk: ChunkPointer, count: [number]) => Address>(
      backend,
      'void *mtmd_input_chunk_get_tokens_text(void *chunk, _Out_ size_t *count)',
    ),
    /** 0 is success. The result is in `encoded` until the next call. */
    chunkEncode: bindFunction<(mtmd: MtmdPointer, chunk: ChunkPointer) => number>(
      backend,
      'int32 mtmd_encode_chunk(void *mtmd, void *chunk)',
    ),
    encoded: bindFunction<(mtmd: MtmdPointer) => Address>(backend, 'void *mtmd_get_output_embd(void *mtmd)'),
    chunkImage: bindFunction<(chunk: ChunkPointer) => ImageTokensPointer>(
      backend,
      'void *mtmd_input_chunk_get_tokens_image(void *chunk)',
    ),
    /** Writes four numbers for each token: its time, column and row, and one that is reserved. */
    imagePositions: bindFunction<(image: ImageTokensPointer, start: number, out: Uint32Array) => void>(
      backend,
      'void mtmd_helper_image_get_decoder_pos(void *image, int32 start, void *out)',
    ),
  };
}
