// Amounts of what models take: main memory, memory of GPUs, and places in the list of loaded models.

import { addDevices, type DeviceBytes } from '../planning/device-bytes.ts';
import type { MemoryFigures, ModelState, ResidencyLimits } from './residency-state.ts';

export interface Amount {
  readonly bytes: number;
  readonly places: number;
  readonly devices: DeviceBytes;
}

export function takenBy(models: readonly Pick<ModelState, 'bytes' | 'devices'>[]): Amount {
  return {
    bytes: models.reduce((sum, { bytes }) => sum + bytes, 0),
    places: models.length,
    devices: addDevices(...models.map(({ devices }) => devices)),
  };
}

/** What a load needs. GPUs without a budget do not count, and no load needs more than all of a GPU: a load that was told to
 * use more must be tried, not wait forever. */
export function neededBy({ bytes, devices }: Required<MemoryFigures>, { deviceBudgets }: ResidencyLimits): Amount {
  const limited = [...devices].flatMap(([name, needed]) => {
    const budget = deviceBudgets?.get(name);
    return budget === undefined ? [] : [[name, Math.min(needed, Math.max(budget, 0))] as const];
  });
  return { bytes, places: 1, devices: new Map(limited) };
}

export function add(a: Amount, b: Amount): Amount {
  return { bytes: a.bytes + b.bytes, places: a.places + b.places, devices: addDevices(a.devices, b.devices) };
}

export function subtract(a: Amount, b: Amount): Amount {
  const negative = new Map([...b.devices].map(([name, bytes]) => [name, -bytes]));
  return { bytes: a.bytes - b.bytes, places: a.places - b.places, devices: addDevices(a.devices, negative) };
}

export function smaller(a: Amount, b: Amount): Amount {
  return {
    bytes: Math.min(a.bytes, b.bytes),
    places: Math.min(a.places, b.places),
    devices: new Map([...b.devices].map(([name, bytes]) => [name, Math.min(a.devices.get(name) ?? 0, bytes)])),
  };
}

export function fits(room: Amount, needed: Amount): boolean {
  const onDevices = [...needed.devices].every(([name, bytes]) => (room.devices.get(name) ?? 0) >= bytes);
  return room.bytes >= needed.bytes && room.places >= needed.places && onDevices;
}
