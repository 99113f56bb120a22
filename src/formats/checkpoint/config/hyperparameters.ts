// The hyperparameters of a model: config.json over the defaults of its family.

import { asObject } from '../../../base/json-values.ts';
import { checkpointLimits, unusable } from '../files/checkpoint-error.ts';
import { type ConfigObject, isUint32 } from '../files/json-object.ts';

export interface Hyperparameters {
  /** The first of the keys that has a value. */
  find(...keys: readonly string[]): unknown;
  /** Undefined if no key has a value. Throws if the value is not an unsigned integer. */
  integer(...keys: readonly string[]): number | undefined;
  number(...keys: readonly string[]): number | undefined;
  /** Throws if no key has a value. */
  requiredInteger(...keys: readonly string[]): number;
  readonly layers: number;
  readonly rope: RopeParameters;
}

/** The parameters of rotary position embeddings. */
interface RopeParameters {
  /** The parameters of all layers, or of layers with full attention. */
  readonly full: ConfigObject;
  /** The base frequency of layers with sliding attention. */
  readonly slidingTheta: number | undefined;
}

/** Settings of a text model can be in a nested object. The outer ones are kept, like the labels of a classifier. */
export function mergeConfig(config: ConfigObject, defaults: ConfigObject): ConfigObject {
  const merged: Record<string, unknown> = { ...defaults };
  for (const source of [config, asObject(config['text_config'])])
    for (const [key, value] of Object.entries(source)) if (value !== null) merged[key] = value;
  return merged;
}

export function readHyperparameters(config: ConfigObject): Hyperparameters {
  const find = (...keys: readonly string[]): unknown => {
    const key = keys.find((name) => Object.hasOwn(config, name) && config[name] !== null);
    return key === undefined ? undefined : config[key];
  };
  const integer = (...keys: readonly string[]): number | undefined => {
    const value = find(...keys);
    if (value === undefined || isUint32(value)) return value;
    throw unusable(`${keys[0]} in config.json is not an unsigned integer`);
  };
  const number = (...keys: readonly string[]): number | undefined => {
    const value = find(...keys);
    if (value === undefined || (typeof value === 'number' && Number.isFinite(value))) return value;
    throw unusable(`${keys[0]} in config.json is not a number`);
  };
  const requiredInteger = (...keys: readonly string[]): number => {
    const value = integer(...keys);
    if (value === undefined) throw unusable(`config.json has no ${keys[0]}`);
    return value;
  };
  const layers = requiredInteger('num_hidden_layers', 'n_layers', 'n_layer', 'num_layers');
  if (layers > checkpointLimits.layers)
    throw unusable(`it has ${layers} layers; the limit is ${checkpointLimits.layers}`);
  return { find, integer, number, requiredInteger, layers, rope: readRope(config, { find, number }) };
}

/** Newer files have all parameters in one object, older ones have some of them next to it. */
function readRope(config: ConfigObject, { find, number }: Pick<Hyperparameters, 'find' | 'number'>): RopeParameters {
  const own = asObject(config['rope_parameters'] ?? config['rope_scaling']);
  if ('full_attention' in own || 'sliding_attention' in own) {
    const theta = asObject(own['sliding_attention'])['rope_theta'];
    return {
      full: asObject(own['full_attention'] ?? own),
      slidingTheta: typeof theta === 'number' ? theta : undefined,
    };
  }
  const outer = {
    rope_theta: number('global_rope_theta', 'rope_theta', 'rotary_emb_base'),
    rope_type: own['type'],
    partial_rotary_factor: number('partial_rotary_factor', 'rope_pct'),
    original_max_position_embeddings: find('original_max_position_embeddings'),
  };
  const full: Record<string, unknown> = { ...own };
  for (const [key, value] of Object.entries(outer)) if (value !== undefined) full[key] ??= value;
  return { full, slidingTheta: number('local_rope_theta', 'swa_rope_theta', 'rope_local_base_freq') };
}

/** A number of the rope parameters; undefined if it is absent. */
export function ropeNumber({ full }: RopeParameters, key: string): number | undefined {
  const value = full[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isFinite(value))
    throw unusable(`${key} of the rope parameters in config.json is not a number`);
  return value;
}
