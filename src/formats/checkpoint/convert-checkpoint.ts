// Converts a checkpoint to a GGUF file, as llama.cpp's converter does. This file reads like a table of contents: config,
// tensors, metadata, tokenizer.

import { asObject } from '../../base/json-values.ts';
import type { Checkpoint } from './config/checkpoint.ts';
import { readMaxTokens } from './config/describe-pooling.ts';
import { mergeConfig, readHyperparameters } from './config/hyperparameters.ts';
import { Metadata } from './config/metadata.ts';
import { readModules } from './config/modules.ts';
import type { Family } from './families/family.ts';
import { findFamily } from './families/find-family.ts';
import { fileTypes, quantizationVersion } from './file-types.ts';
import { unusable } from './files/checkpoint-error.ts';
import { type CheckpointFile, type CheckpointFolder, openCheckpoint } from './files/checkpoint-folder.ts';
import type { ConfigObject } from './files/json-object.ts';
import { sizeLabel, writeSampling } from './general-metadata.ts';
import { type GgufStream, toGgufStream } from './gguf-stream.ts';
import { guessType, planTensors, selectTensors } from './plan-tensors.ts';
import { dequantize, findQuantization, type ScaledFormat } from './tensors/dequantize.ts';
import { readSourceTensors } from './tensors/source-tensors.ts';
import { hasTower } from './vision/convert-projector.ts';

interface ConvertedCheckpoint extends GgufStream {
  /** The number of tokens at which texts are to be cut, for embedding models that state it. */
  readonly maxTokens: number | undefined;
  /** Whether it has an image encoder, which `convertProjector` converts. */
  readonly hasVision: boolean;
}

/** `name`: the name of the model in its metadata. Nothing of the weights is read before the first chunk. */
export async function convertCheckpoint(
  files: readonly CheckpointFile[],
  { name }: { readonly name: string },
): Promise<ConvertedCheckpoint> {
  const folder = openCheckpoint(files);
  const config = await readConfig(folder);
  const { family, model } = findFamily(config, [name, ...(await readHints(folder, config))]);
  const quantization = readQuantization(config, family);
  const merged = mergeConfig(config, family.defaults(config));
  const tensors = await readSourceTensors(folder);
  const plain = quantization === undefined ? tensors : dequantize(tensors, quantization);
  const sources = selectTensors(plain, family, { model, config: merged });
  const checkpoint: Checkpoint = {
    folder,
    config,
    model,
    parameters: readHyperparameters(merged),
    type: guessType(sources),
    tensors: sources,
    modules: await readModules(folder),
  };
  const planned = await planTensors(family, checkpoint);

  const metadata = new Metadata();
  metadata.string('general.architecture', family.architecture);
  metadata.string('general.type', 'model');
  await writeSampling(metadata, folder);
  metadata.string('general.name', harmlessName(name, family, folder));
  metadata.string('general.size_label', sizeLabel(planned));
  family.describe(checkpoint, metadata.withArchitecture(family.architecture));
  const isPacked = planned.some(({ type }) => type === 'MXFP4');
  metadata.u32('general.file_type', fileTypes[isPacked ? 'MXFP4' : checkpoint.type]);
  metadata.u32('general.quantization_version', quantizationVersion);
  await family.writeTokenizer(checkpoint, metadata);
  const maxTokens = await readMaxTokens(folder);
  return { ...toGgufStream(metadata, planned), maxTokens, hasVision: hasTower({ folder, config }, tensors) };
}

/** llama.cpp expects certain tokens in a model of this name, and does not load one without them. */
function harmlessName(name: string, { architecture }: Family, folder: CheckpointFolder): string {
  const isPhi3 = architecture === 'phi3' && folder.has('tokenizer.model');
  return isPhi3 ? name : name.replace(/phi-?3/gi, 'phi');
}

async function readConfig(folder: CheckpointFolder): Promise<ConfigObject> {
  if (!folder.has('config.json')) throw unusable('config.json is missing');
  return folder.readObject('config.json');
}

/** The name that the publisher gave it, and the headings of the model card. */
async function readHints(folder: CheckpointFolder, config: ConfigObject): Promise<string[]> {
  const card = (await folder.readText('README.md').catch(() => undefined)) ?? '';
  const name = config['_name_or_path'];
  return [...(typeof name === 'string' ? [name] : []), ...card.split('\n').filter((line) => line.startsWith('# '))];
}

/** Undefined for weights that are not quantized, or in a way that the family reads itself. */
function readQuantization(config: ConfigObject, { quantization }: Family): ScaledFormat | undefined {
  const own = config['quantization_config'] ?? asObject(config['text_config'])['quantization_config'];
  if (own === undefined || own === null) return undefined;
  if (quantization !== undefined && asObject(own)['quant_method'] === quantization) return undefined;
  const known = findQuantization(asObject(own));
  if (known === undefined)
    throw unusable('its weights are quantized; use the original weights and quantize them with --quantize');
  return known;
}
