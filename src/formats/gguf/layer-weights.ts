// How the weights of a model are distributed over its layers, from the names of the tensors.

import type { Gguf } from './read-gguf.ts';

interface LayerWeights {
  /** Bytes of each layer. */
  readonly layers: readonly number[];
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
const inputName = /^(?:token_embd|position_embd|token_types|per_layer_token_embd)/;

/** Undefined if the file does not have the names of a language model. */
export function layerWeights({ metadata, tensors }: Pick<Gguf, 'metadata' | 'tensors'>): LayerWeights | undefined {
  const count = Number(metadata.get(`${String(metadata.get('general.architecture'))}.block_count`));
  if (!Number.isInteger(count) || count < 1 || count > maxLayers) return undefined;
  const layers = new Array<number>(count).fill(0);
  let input = 0;
  let output = 0;
  for (const { name, bytes } of tensors) {
    const layer = Number(layerName.exec(name)?.[1] ?? -1);
    if (layer >= 0 && layer < count) layers[layer] = (layers[layer] ?? 0) + bytes;
    else if (inputName.test(name)) input += bytes;
    else output += bytes;
  }
  const embeddings = tensors.find(({ name }) => name === 'token_embd.weight');
  if (embeddings === undefined || layers.includes(0)) return undefined;
  const hasOutput = tensors.some(({ name }) => name === 'output.weight');
  return {
    layers,
    input,
    output: hasOutput ? output : output + embeddings.bytes,
    vocabulary: embeddings.shape[1] ?? 1,
  };
}
