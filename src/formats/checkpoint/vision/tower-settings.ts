// The settings of an image encoder: vision_config in config.json, and those of the program that prepares images.

import { asObject } from '../../../base/json-values.ts';
import { checkpointLimits, unusable } from '../files/checkpoint-error.ts';
import type { CheckpointFolder } from '../files/checkpoint-folder.ts';
import { type ConfigObject, isUint32 } from '../files/json-object.ts';

export interface TowerSettings {
  /** config.json. */
  readonly config: ConfigObject;
  /** vision_config over the defaults of the family. */
  readonly vision: ConfigObject;
  /** How images are prepared. */
  readonly preprocessor: ConfigObject;
}

/** One of them has the colors that images are scaled to. */
export const preparationFiles = ['preprocessor_config.json', 'processor_config.json'] as const;

export async function readTowerSettings(
  folder: CheckpointFolder,
  config: ConfigObject,
  defaults: ConfigObject,
): Promise<TowerSettings> {
  const own = Object.entries(asObject(config['vision_config'])).filter(([, value]) => value !== null);
  const older = await folder.readObject(preparationFiles[0]);
  const processor = await folder.readObject(preparationFiles[1]);
  return {
    config,
    vision: { ...defaults, ...Object.fromEntries(own) },
    preprocessor: { ...older, ...processor, ...asObject(processor['image_processor']) },
  };
}

export function integerIn(settings: ConfigObject, ...keys: readonly string[]): number {
  const key = keys.find((name) => settings[name] !== undefined);
  const value = key === undefined ? undefined : settings[key];
  if (isUint32(value)) return value;
  throw unusable(`${keys[0]} of its image encoder is not an unsigned integer`);
}

export function numberIn(settings: ConfigObject, key: string, fallback: number): number {
  const value = settings[key] ?? fallback;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw unusable(`${key} of its image encoder is not a number`);
}

/** One number for each color. */
export function colorsIn(settings: ConfigObject, key: string): readonly number[] {
  const value = settings[key];
  const isColors = Array.isArray(value) && value.length === 3 && value.every(Number.isFinite);
  if (isColors) return value as number[];
  throw unusable(`preprocessor_config.json has no ${key} with three numbers`);
}

export function layersIn(settings: ConfigObject): number {
  const layers = integerIn(settings, 'num_hidden_layers', 'depth');
  if (layers <= checkpointLimits.layers) return layers;
  throw unusable(`its image encoder has ${layers} layers; the limit is ${checkpointLimits.layers}`);
}
