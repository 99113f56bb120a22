// The devices that ggml has after its backends were loaded.

import type { EngineDevice } from '../../protocol/engine-description.ts';
import type { DeviceInfo } from '../../protocol/messages.ts';
import type { LlamaApi } from './bindings/llama-api.ts';

type DeviceApi = Pick<
  LlamaApi,
  'deviceCount' | 'deviceGet' | 'deviceType' | 'deviceName' | 'deviceDescription' | 'deviceMemory'
>;

const gpuTypes: ReadonlySet<number> = new Set([1, 2]);

export function listDevices(api: DeviceApi): EngineDevice[] {
  return Array.from({ length: api.deviceCount() }, (_, index) => {
    const device = api.deviceGet(index);
    const free: [number] = [0];
    const total: [number] = [0];
    api.deviceMemory(device, free, total);
    return {
      name: api.deviceName(device),
      description: api.deviceDescription(device).trim(),
      isGpu: gpuTypes.has(api.deviceType(device)),
      freeBytes: free[0],
      totalBytes: total[0],
    };
  });
}

export function findGpus(api: DeviceApi): DeviceInfo[] {
  return listDevices(api).flatMap(({ isGpu, ...device }) => (isGpu ? [device] : []));
}
