// How the weights of a model are distributed over its layers, from the names of the tensors.

import type { Gguf } from './read-gguf.ts';

interface LayerWeights {
  /** Bytes of each layer. */
  readonly layers: readonly number[];
  /** The part of each layer that is experts of which a token uses few. */
  readonly experts: readonly number[];
  /** Bytes of what follows the last layer. A model without such a matrix uses a copy of its embeddings. */
  readonly output: number;
  /** Bytes of the embeddings of tokens and positions, which llama.cpp keeps in main memory. */
  readonly input: number;
  /** Number of tokens. */
  readonly vocabulary: number;
}

// More than any model has.
const maxLayers = 1024;
const layerName = /^blk\.(\d{1,4})\./;
const expertName = /^blk\.\d{1,4}\.ffn_(?:up|down|gate|gate_up)_(?:ch)?exps\./;
const inputName = /^(?:token_embd|position_embd|token_types|per_layer_token_embd)/;

/** Undefined if the file does not have the names of a language model. */
export function layerWeights({ metadata, tensors }: Pick<Gguf, 'metadata' | 'tensors'>): LayerWeights | undefined {
  const count = Number(metadata.get(`${String(metadata.get('general.architecture'))}.block_count`));
  if (!Number.isInteger(count) || count < 1 || count > maxLayers) return undefined;
  const { layers, experts, input, output } = sumBytes(tensors, count);
  const embeddings = tensors.find(({ name }) => name === 'token_embd.weight');
  if (embeddings === undefined || layers.includes(0)) return undefined;
  const hasOutput = tensors.some(({ name }) => name === 'output.weight');
  return {
    layers,
    experts,
    input,
    output: hasOutput ? output : output + embeddings.bytes,
    vocabulary: embeddings.shape[1] ?? 1,
  };
}

function sumBytes(tensors: Gguf['tensors'], count: number): Omit<LayerWeights, 'vocabulary'> {
  const layers = new Array<number>(count).fill(0);
  const experts = new Array<number>(count).fill(0);
  let input = 0;
  let output = 0;
  for (const { name, bytes } of tensors) {
    const layer = Number(layerName.exec(name)?.[1] ?? -1);
    if (layer >= 0 && layer < count) {
      addTo(layers, layer, bytes);
      addTo(experts, layer, expertName.test(name) ? bytes : 0);
    } else if (inputName.test(name)) input += bytes;
    else output += bytes;
  }
  return { layers, experts, input, output };
}

function addTo(sums: number[], index: number, value: number): void {
  sums[index] = (sums[index] ?? 0) + value;
}
