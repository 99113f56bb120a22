// A model that hears, with random weights: a language model, and a projector in the shape of Ultravox, whose encoder is that of
// Whisper. Its words are arbitrary, but they depend on what it hears.

import { join } from 'node:path';
import { decoders } from '../architectures/decoders.ts';
import {
  f32,
  flag,
  type Shapes,
  type TinyModel,
  text,
  tinyModel,
  u32,
  width,
  writeTinyModel,
} from '../architectures/tiny-model.ts';

const inner = 96;
const mels = 80;
const frames = 1500;
const stackedFrames = 10;
/** Tokens of half a minute: it hears that much at a time. */
export const windowTokens = frames / stackedFrames;

const both = (name: string, ...shape: readonly number[]): Shapes => [
  [`${name}.weight`, ...shape],
  [`${name}.bias`, shape.at(-1) ?? 0],
];

function projector(): TinyModel {
  const block = (part: string): string => `a.blk.0.${part}`;
  const { keys, tensors } = tinyModel(
    'clip',
    {
      'general.type': text('mmproj'),
      'clip.has_audio_encoder': flag(true),
      'clip.projector_type': text('ultravox'),
      'clip.audio.block_count': u32(1),
      'clip.audio.embedding_length': u32(width),
      'clip.audio.feed_forward_length': u32(inner),
      'clip.audio.attention.head_count': u32(2),
      'clip.audio.attention.layer_norm_epsilon': f32(1e-5),
      'clip.audio.projection_dim': u32(width),
      'clip.audio.num_mel_bins': u32(mels),
      'clip.audio.projector.stack_factor': u32(stackedFrames),
      'clip.use_gelu': flag(true),
    },
    [
      ['a.conv1d.1.weight', 3, mels, width],
      ['a.conv1d.1.bias', 1, width],
      ['a.conv1d.2.weight', 3, width, width],
      ['a.conv1d.2.bias', 1, width],
      ['a.position_embd.weight', width, frames],
      ...both(block('ln1'), width),
      ...both(block('attn_q'), width, width),
      [`${block('attn_k')}.weight`, width, width],
      ...both(block('attn_v'), width, width),
      ...both(block('attn_out'), width, width),
      ...both(block('ln2'), width),
      ...both(block('ffn_up'), width, inner),
      ...both(block('ffn_down'), inner, width),
      ...both('a.post_ln', width),
      ['mm.a.norm_pre.weight', stackedFrames * width],
      ['mm.a.mlp.1.weight', stackedFrames * width, 2 * inner],
      ['mm.a.norm_mid.weight', inner],
      ['mm.a.mlp.2.weight', inner, width],
    ],
  );
  // The engine computes convolutions with these.
  const isKernel = (name: string): boolean => /conv1d\.\d\.weight/.test(name);
  return { keys, tensors: tensors.map((tensor) => (isKernel(tensor.name) ? { ...tensor, type: 'F16' } : tensor)) };
}

export interface TinyAudioFiles {
  readonly weightsPath: string;
  readonly projectorPath: string;
}

export function writeTinyAudio(folder: string): TinyAudioFiles {
  const [weightsPath, projectorPath] = [join(folder, 'hears.gguf'), join(folder, 'hears-mmproj.gguf')];
  writeTinyModel(weightsPath, decoders.llama());
  writeTinyModel(projectorPath, projector());
  return { weightsPath, projectorPath };
}
