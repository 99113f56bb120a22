// Tells llama.cpp which tensors of a model are in other memory than their layer.

import koffi from 'koffi';
import { HearthError } from '../../../base/errors.ts';
import type { TensorOverride } from '../../../models/tensor-overrides.ts';
import type { LlamaApi } from '../llama/bindings/llama-api.ts';
import type { ModelParams } from '../llama/bindings/structs.ts';
import type { LoadSettings } from './load-settings.ts';

/** The overrides of the options, and those that keep the experts of the first layers in main memory. */
export function overridesOf({
  overrides,
  expertLayers,
}: Pick<LoadSettings, 'overrides' | 'expertLayers'>): TensorOverride[] {
  const experts = Array.from({ length: expertLayers }, (_, layer) => ({
    pattern: `^blk\\.${layer}\\.ffn_(up|down|gate|gate_up)_(ch|)exps\\.`,
    device: 'CPU',
  }));
  // llama.cpp uses the first that matches.
  return [...overrides, ...experts];
}

type DeviceApi = Pick<LlamaApi, 'deviceCount' | 'deviceGet' | 'deviceName' | 'deviceBufferType'>;

const pairBytes = 16;

/** Pairs of a pattern and a buffer type, an empty pair, then the patterns that the pairs point to. */
export function packOverrides(api: DeviceApi, overrides: readonly TensorOverride[]): BigUint64Array {
  const devices = Array.from({ length: api.deviceCount() }, (_, index) => api.deviceGet(index));
  const byName = new Map(devices.map((device) => [api.deviceName(device), device]));
  const texts = overrides.map(({ pattern }) => Buffer.from(`${pattern}\0`));
  const start = pairBytes * (overrides.length + 1);
  const size = start + texts.reduce((sum, { length }) => sum + length, 0);
  const packed = new BigUint64Array(Math.ceil(size / BigUint64Array.BYTES_PER_ELEMENT));
  const bytes = Buffer.from(packed.buffer);
  let offset = start;
  for (const [index, { device: name }] of overrides.entries()) {
    const device = byName.get(name);
    if (device === undefined) {
      const known = [...byName.keys()].join(', ');
      throw new HearthError('bad_request', `override_tensor: there is no device "${name}", only ${known}`);
    }
    packed[2 * index] = koffi.address(packed) + BigInt(offset);
    packed[2 * index + 1] = api.deviceBufferType(device);
    offset += texts[index]?.copy(bytes, offset) ?? 0;
  }
  return packed;
}

/** llama.cpp expects no list where there are no overrides. */
export function withOverrides(params: ModelParams, settings: LoadSettings, api: DeviceApi): ModelParams {
  const overrides = overridesOf(settings);
  return overrides.length === 0 ? params : { ...params, tensor_buft_overrides: packOverrides(api, overrides) };
}
