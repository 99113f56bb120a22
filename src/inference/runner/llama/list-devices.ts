// The devices that ggml has after its backends were loaded.

import { hasMetal, thisMachine } from '../../backends/engine-package.ts';
import type { EngineDevice } from '../../protocol/engine-description.ts';
import type { DeviceInfo } from '../../protocol/messages.ts';
import type { LlamaApi } from './bindings/llama-api.ts';

export type DeviceApi = Pick<
  LlamaApi,
  'deviceCount' | 'deviceGet' | 'deviceType' | 'deviceName' | 'deviceDescription' | 'deviceMemory'
>;

const gpuType = 1;
const integratedGpuType = 2;

export function listDevices(api: DeviceApi): EngineDevice[] {
  return Array.from({ length: api.deviceCount() }, (_, index) => {
    const device = api.deviceGet(index);
    const free: [number] = [0];
    const total: [number] = [0];
    api.deviceMemory(device, free, total);
    const type = api.deviceType(device);
    const isGpu = type === gpuType || type === integratedGpuType;
    return {
      name: api.deviceName(device),
      description: api.deviceDescription(device).trim(),
      isGpu,
      // Metal does not report that the GPU of Apple silicon is integrated.
      isUnified: isGpu && (type === integratedGpuType || hasMetal(thisMachine)),
      freeBytes: free[0],
      totalBytes: total[0],
    };
  });
}

/** The GPUs that llama.cpp uses, in its order: integrated ones only if there are no others. */
export function findGpus(api: DeviceApi): EngineDevice[] {
  const gpus = listDevices(api).filter(({ isGpu }) => isGpu);
  const separate = gpus.filter(({ isUnified }) => !isUnified);
  return separate.length > 0 ? separate : gpus;
}

export function toDeviceInfo({ name, description, freeBytes, totalBytes }: EngineDevice): DeviceInfo {
  return { name, description, freeBytes, totalBytes };
}
