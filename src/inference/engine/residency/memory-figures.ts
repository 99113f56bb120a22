// The memory of a model in the terms of the residency machine.

import type { MemoryUse } from '../../protocol/messages.ts';
import { noDeviceBytes, sumOfDevices } from '../planning/device-bytes.ts';
import { measuredDevices, measuredMemory } from '../planning/estimate-memory.ts';
import type { MemoryFigures, ModelState } from './residency-state.ts';

/** As reported by the runner, otherwise as estimated. */
export function figuresOf(memory: MemoryUse | undefined, model: ModelState | undefined): Required<MemoryFigures> {
  if (memory) return { bytes: measuredMemory(memory), devices: measuredDevices(memory) };
  return { bytes: model?.bytes ?? 0, devices: model?.devices ?? noDeviceBytes };
}

export function isKnown({ bytes, devices }: Required<MemoryFigures>, model: ModelState | undefined): boolean {
  return bytes === model?.bytes && sumOfDevices(devices) === sumOfDevices(model.devices);
}
