// EmbeddingGemma: Gemma 3 that sees texts in both directions, with layers after the pooling.

import type { Checkpoint } from '../config/checkpoint.ts';
import { writePooling } from '../config/describe-pooling.ts';
import type { Module } from '../config/modules.ts';
import { unusable } from '../files/checkpoint-error.ts';
import { asString } from '../files/json-object.ts';
import { chooseType, type OutputTensor } from '../tensors/output-tensor.ts';
import { readTensorsOf } from '../tensors/source-tensors.ts';
import type { Family } from './family.ts';
import { gemma3 } from './gemma.ts';

export const embeddingGemma: Family = {
  ...gemma3,
  models: ['Gemma3TextModel'],
  architecture: 'gemma-embedding',
  rename: (name) => (name.startsWith('model.') ? name : `model.${name}`),
  extraTensors: readDenseTensors,
  describe(checkpoint, metadata) {
    gemma3.describe(checkpoint, metadata);
    for (const [name, { settings }] of denseModules(checkpoint)) {
      metadata.u32(`${name}_feat_in`, Number(settings['in_features']));
      metadata.u32(`${name}_feat_out`, Number(settings['out_features']));
    }
    writePooling(checkpoint.modules, metadata);
  },
};

/** By llama.cpp's name of the layer. */
function denseModules({ modules }: Checkpoint): [string, Module][] {
  const dense = modules.filter(({ kind }) => kind === 'Dense');
  if (dense.length > 2) throw unusable(`it has ${dense.length} layers after the pooling; llama.cpp has two`);
  return dense.map((module, index) => [`dense_${index + 2}`, module]);
}

async function readDenseTensors(checkpoint: Checkpoint): Promise<OutputTensor[]> {
  const found: OutputTensor[] = [];
  for (const [name, module] of denseModules(checkpoint)) found.push(await readDense(name, module, checkpoint));
  return found;
}

async function readDense(
  layer: string,
  { path, settings }: Module,
  { folder, type }: Checkpoint,
): Promise<OutputTensor> {
  const { activation_function: activation, in_features: width, out_features: height } = settings;
  const isPlain = activation === undefined || asString(activation)?.endsWith('.Identity') === true;
  if (!isPlain || settings['bias'] === true)
    throw unusable(`llama.cpp knows the layer ${path} only without activation and bias`);
  const tensors = await readTensorsOf(folder.file(`${path}/model.safetensors`));
  const source = tensors.find(({ name }) => name === 'linear.weight');
  if (source === undefined || String(source.shape) !== String([height, width]))
    throw unusable(`${path} has no linear.weight of the shape in its config.json`);
  const name = `${layer}.weight`;
  return { name, shape: source.shape, type: chooseType(name, source.shape, type), data: [{ source }] };
}
