// What the process that asks ggml for its devices prints, as JSON. It executes native code, so its output is checked.

import { asObject, isCount, parseJson } from '../../base/json-values.ts';

export interface EngineDevice {
  /** The name in ggml: `CUDA0`. */
  readonly name: string;
  /** `NVIDIA H200`. */
  readonly description: string;
  readonly isGpu: boolean;
  /** The memory of the GPU is main memory. */
  readonly isUnified: boolean;
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export interface EngineDescription {
  /** A package and its version. */
  readonly engine: string;
  readonly devices: readonly EngineDevice[];
}

const maxDevices = 256;
const maxName = 1024;

/** Undefined if the text is not a description. */
export function parseEngineDescription(text: string): EngineDescription | undefined {
  const { engine, devices } = asObject(parseJson(text));
  if (!isName(engine) || !Array.isArray(devices) || devices.length > maxDevices) return undefined;
  const parsed = devices.flatMap((device) => toDevice(asObject(device)));
  return parsed.length === devices.length ? { engine, devices: parsed } : undefined;
}

function toDevice(device: Readonly<Record<string, unknown>>): EngineDevice[] {
  const { name, description, isGpu, isUnified, freeBytes, totalBytes } = device;
  const isValid = isName(name) && isName(description) && typeof isGpu === 'boolean' && typeof isUnified === 'boolean';
  return isValid && isCount(freeBytes) && isCount(totalBytes)
    ? [{ name, description, isGpu, isUnified, freeBytes, totalBytes }]
    : [];
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= maxName;
}
