// Converts a LoRA adapter in the format of PEFT to a GGUF file. Names and order of heads follow from the model that it is
// for, which is in GGUF format already.

import { readHyperparameters } from './config/hyperparameters.ts';
import { Metadata } from './config/metadata.ts';
import type { Family } from './families/family.ts';
import { families } from './families/find-family.ts';
import { unusable } from './files/checkpoint-error.ts';
import { type CheckpointFile, openCheckpoint } from './files/checkpoint-folder.ts';
import type { ConfigObject } from './files/json-object.ts';
import { type GgufStream, toGgufStream } from './gguf-stream.ts';
import type { OutputTensor, TensorPiece } from './tensors/output-tensor.ts';
import { readTensorsOf, type SourceTensor } from './tensors/source-tensors.ts';
import { mapTensorName } from './tensors/tensor-names.ts';

/** The model that an adapter is for. */
export interface AdapterBase {
  /** llama.cpp's name of the architecture. */
  readonly architecture: string;
  readonly heads: number;
  readonly keyHeads: number;
}

interface Pair {
  a?: SourceTensor;
  b?: SourceTensor;
}

const quantizationVersion = 2;
const weightsName = 'adapter_model.safetensors';

export async function convertAdapter(
  files: readonly CheckpointFile[],
  { name, base }: { readonly name: string; readonly base: AdapterBase },
): Promise<GgufStream> {
  const folder = openCheckpoint(files);
  const family = findBaseFamily(base.architecture);
  const config = await folder.readObject('adapter_config.json');
  const pairs = collectPairs(await readTensorsOf(folder.file(weightsName)));
  const tensors = [...pairs].flatMap(([target, pair]) => planPair(target, pair, { family, base }));

  const metadata = new Metadata();
  metadata.string('general.architecture', family.architecture);
  metadata.string('general.type', 'adapter');
  metadata.string('adapter.type', 'lora');
  metadata.string('general.name', name);
  metadata.f32('adapter.lora.alpha', alphaOf(config, tensors));
  metadata.u32('general.quantization_version', quantizationVersion);
  return toGgufStream(metadata, tensors);
}

function findBaseFamily(architecture: string): Family {
  const family = families.find((known) => known.architecture === architecture);
  if (family !== undefined) return family;
  const known = [...new Set(families.map((entry) => entry.architecture))].join(', ');
  throw unusable(`adapters for the architecture ${JSON.stringify(architecture)} are not known; known are ${known}`);
}

const loraName = /^(.+?)\.lora_(?:embedding_)?([AB])(?:\.weight)?$/;

/** The two matrices of each adapted tensor, by the name of the tensor in the model. */
function collectPairs(tensors: readonly SourceTensor[]): Map<string, Pair> {
  const pairs = new Map<string, Pair>();
  for (const source of tensors) {
    if (source.name.endsWith('.base_layer.weight')) continue;
    const [, adapted, side] = loraName.exec(source.name) ?? [];
    if (adapted === undefined)
      throw unusable(`the tensor ${source.name} of the adapter is not part of a LoRA; merge it into the model instead`);
    const target = `${adapted.replace('base_model.model.', '')}.weight`;
    const pair = pairs.get(target) ?? {};
    pair[side === 'A' ? 'a' : 'b'] = source;
    pairs.set(target, pair);
  }
  if (pairs.size === 0) throw unusable('the adapter has no tensors');
  return pairs;
}

function planPair(
  target: string,
  { a, b }: Pair,
  { family, base }: { readonly family: Family; readonly base: AdapterBase },
): OutputTensor[] {
  const name = mapTensorName(target.replace('language_model.', ''), family.names);
  if (name === undefined) throw unusable(`a ${family.architecture} model has no tensor ${target}`);
  if (/\.(?:linear_attn|mamba|conv|experts)\./.test(target))
    throw unusable(`adapters for ${target} are not converted, only those for attention and feed-forward layers`);
  if (a === undefined || b === undefined) throw unusable(`the adapter has only one matrix for ${target}`);
  const isMatch = a.shape.length === 2 && b.shape.length === 2 && a.shape[0] === b.shape[1];
  if (!isMatch) throw unusable(`the matrices of the adapter for ${target} do not match`);
  // llama.cpp looks up rows of embeddings, so their first matrix is the other way around.
  const isEmbedding = name === 'token_embd.weight';
  const first: TensorPiece = isEmbedding ? { source: a, transposed: {} } : { source: a };
  const heads = { num_attention_heads: base.heads, num_key_value_heads: base.keyHeads, num_hidden_layers: 0 };
  const parameters = readHyperparameters(heads);
  const second: TensorPiece = (isEmbedding ? undefined : family.change?.(b, target, { parameters })) ?? { source: b };
  return [
    { name: `${name}.lora_a`, shape: isEmbedding ? a.shape.toReversed() : a.shape, type: 'F32', data: [first] },
    { name: `${name}.lora_b`, shape: b.shape, type: 'F32', data: [second] },
  ];
}

/** llama.cpp divides it by the rank. */
function alphaOf(config: ConfigObject, tensors: readonly OutputTensor[]): number {
  const { lora_alpha: alpha, use_rslora: isScaledByRoot, use_dora: isDora, alpha_pattern: pattern } = config;
  if (typeof alpha !== 'number' || !Number.isFinite(alpha)) throw unusable('adapter_config.json has no lora_alpha');
  if (isDora === true) throw unusable('the adapter is a DoRA, which llama.cpp does not support');
  if (typeof pattern === 'object' && pattern !== null && Object.keys(pattern).length > 0)
    throw unusable('the adapter has an alpha_pattern, which llama.cpp does not support');
  // Rank-stabilized adapters are divided by the root of the rank.
  return isScaledByRoot === true ? alpha * Math.sqrt(tensors[0]?.shape[0] ?? 1) : alpha;
}
