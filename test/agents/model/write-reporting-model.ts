// Writes a model that asks for a tool call and then reports what the tool returned. Its report is right only if the result
// of the call is in the prompt. It has one layer, so that it evaluates the long prompts of agents in seconds.

import type { GgufEntry } from '../../../src/formats/gguf/encode-entry.ts';
import { type TensorSource, writeGguf } from '../../support/models/write-gguf.ts';
import { type Entries, type ReportingWeights, reportingWeights, rotationBase, shape } from './reporting-weights.ts';
import { extendVocabulary, type Vocabulary } from './vocabulary.ts';

export interface ReportingModel {
  /** What the model writes first, in its format of tool calls. */
  readonly call: string;
  /** What it writes before the word. */
  readonly report: string;
  /** A tool returns one of these. */
  readonly words: readonly string[];
  readonly contextLength: number;
}

export async function writeReportingModel(path: string, model: ReportingModel): Promise<void> {
  const texts = { call: toPieces(model.call), report: toPieces(model.report), words: model.words };
  const vocabulary = await extendVocabulary([...texts.call, ...texts.report], texts.words);
  const weights = reportingWeights(texts, vocabulary);
  writeGguf(path, metadata(vocabulary, model.contextLength), tensors(weights, vocabulary.size));
}

// The piece length in characters.
const pieceLength = 8;

function toPieces(text: string): string[] {
  return Array.from({ length: Math.ceil(text.length / pieceLength) }, (_, index) =>
    text.slice(index * pieceLength, (index + 1) * pieceLength),
  );
}

function metadata(vocabulary: Vocabulary, contextLength: number): Record<string, GgufEntry> {
  const u32 = (value: number): GgufEntry => ({ type: 'u32', value });
  return {
    'general.architecture': { type: 'string', value: 'llama' },
    'general.name': { type: 'string', value: 'reporting' },
    'general.file_type': u32(0),
    'llama.block_count': u32(1),
    'llama.context_length': u32(contextLength),
    'llama.embedding_length': u32(shape.width),
    'llama.feed_forward_length': u32(shape.inner),
    'llama.attention.head_count': u32(shape.heads),
    'llama.attention.head_count_kv': u32(shape.heads),
    'llama.attention.layer_norm_rms_epsilon': { type: 'f32', value: 1e-5 },
    'llama.rope.dimension_count': u32(shape.headWidth),
    'llama.rope.freq_base': { type: 'f32', value: rotationBase },
    'llama.vocab_size': u32(vocabulary.size),
    ...vocabulary.metadata,
  };
}

function tensors(weights: ReportingWeights, tokens: number): TensorSource[] {
  const { width, inner } = shape;
  const norm = (name: string): TensorSource => tensor(name, [width], new Float32Array(width).fill(1));
  const matrix = (name: string, [columns, rows]: readonly [number, number], entries: Entries = []): TensorSource => {
    const values = new Float32Array(rows * columns);
    for (const [row, column, value] of entries) values[row * columns + column] = value;
    return tensor(name, [columns, rows], values);
  };
  return [
    matrix('token_embd.weight', [width, tokens], weights.embedding),
    norm('blk.0.attn_norm.weight'),
    matrix('blk.0.attn_q.weight', [width, width], weights.query),
    matrix('blk.0.attn_k.weight', [width, width], weights.key),
    matrix('blk.0.attn_v.weight', [width, width], weights.value),
    matrix('blk.0.attn_output.weight', [width, width], weights.attentionOutput),
    // The part after the attention adds nothing.
    norm('blk.0.ffn_norm.weight'),
    matrix('blk.0.ffn_gate.weight', [width, inner]),
    matrix('blk.0.ffn_up.weight', [width, inner]),
    matrix('blk.0.ffn_down.weight', [inner, width]),
    norm('output_norm.weight'),
    matrix('output.weight', [width, tokens], weights.output),
  ];
}

function tensor(name: string, dimensions: readonly number[], values: Float32Array): TensorSource {
  let offset = 0;
  return {
    name,
    shape: dimensions,
    type: 'F32',
    fill(buffer) {
      offset += Buffer.from(values.buffer, offset, buffer.length).copy(buffer);
    },
  };
}
