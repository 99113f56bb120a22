// Bytes on GPUs, by the names that ggml gives them.

export type DeviceBytes = ReadonlyMap<string, number>;

export const noDeviceBytes: DeviceBytes = new Map();

export function sumOfDevices(devices: DeviceBytes): number {
  return [...devices.values()].reduce((sum, bytes) => sum + bytes, 0);
}

export function addDevices(...parts: readonly DeviceBytes[]): DeviceBytes {
  const sum = new Map<string, number>();
  for (const part of parts) for (const [name, bytes] of part) sum.set(name, (sum.get(name) ?? 0) + bytes);
  return sum;
}

/** What is left of each device in `from`. */
export function subtractDevices(from: DeviceBytes, taken: DeviceBytes): DeviceBytes {
  return new Map([...from].map(([name, bytes]) => [name, bytes - (taken.get(name) ?? 0)]));
}
