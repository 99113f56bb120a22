// Metadata about the model as a whole: its size, and the sampling settings that its authors recommend.

import { asObject } from '../../base/json-values.ts';
import type { Metadata } from './config/metadata.ts';
import type { CheckpointFolder } from './files/checkpoint-folder.ts';
import { type OutputTensor, valuesOf } from './tensors/output-tensor.ts';

/** Keys of generation_config.json that llama.cpp's converter copies. */
const samplingKeys = {
  top_k: ['top_k', 'i32'],
  top_p: ['top_p', 'f32'],
  min_p: ['min_p', 'f32'],
  temp: ['temperature', 'f32'],
} as const;

export async function writeSampling(metadata: Metadata, folder: CheckpointFolder): Promise<void> {
  // Not every model has a valid file, and none needs it.
  const settings = asObject(await folder.readJson('generation_config.json').catch(() => undefined));
  for (const [key, [source, type]] of Object.entries(samplingKeys)) {
    const value = settings[source];
    if (typeof value === 'number' && Number.isFinite(value)) metadata[type](`general.sampling.${key}`, value);
  }
}

/** Such as 7.2B, or 8x1.5B for a mixture of experts. */
export function sizeLabel(tensors: readonly OutputTensor[]): string {
  const experts = tensors.filter(({ name, shape }) => name.includes('_exps.') && shape.length >= 3);
  const total = tensors.reduce((sum, tensor) => sum + valuesOf(tensor), 0);
  if (experts.length === 0) return roundedCount(total);
  const countOf = ({ shape }: OutputTensor): number => shape.at(-3) ?? 1;
  const count = Math.floor(experts.reduce((sum, tensor) => sum + countOf(tensor), 0) / experts.length);
  const ofExperts = experts.reduce((sum, tensor) => sum + valuesOf(tensor), 0);
  const ofOne = experts.reduce((sum, tensor) => sum + Math.floor(valuesOf(tensor) / countOf(tensor)), 0);
  return `${count}x${roundedCount(total - ofExperts + ofOne)}`;
}

/** With two digits. */
function roundedCount(count: number): string {
  const [scale, suffix] =
    count > 1e12 ? [1e-12, 'T'] : count > 1e9 ? [1e-9, 'B'] : count > 1e6 ? [1e-6, 'M'] : [1e-3, 'K'];
  const scaled = count * scale;
  const whole = Math.round(scaled);
  const digits = whole === 0 ? 0 : String(whole).length;
  return `${scaled.toFixed(Math.max(2 - digits, 0))}${suffix}`;
}
