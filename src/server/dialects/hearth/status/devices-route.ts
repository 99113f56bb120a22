// GET /api/devices: the processors of the machine, and what serves them.

import type { Route } from '../../../http/route.ts';
import type { ListDevices, MachineDescription } from '../../../services/management/list-devices.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';
import { DevicesResponseBody } from './devices-schema.ts';

export function devicesRoute(listDevices: ListDevices): Route {
  return {
    dialect: ollamaDialect,
    method: 'GET',
    scope: 'infer',
    path: '/api/devices',
    tag: 'Server',
    summary: 'List CPUs and GPUs with the backends that serve them',
    response: DevicesResponseBody,
    handle: async (): Promise<DevicesResponseBody> => toBody(await listDevices()),
  };
}

function toBody({ engine, devices, backends }: MachineDescription): DevicesResponseBody {
  return { engine, devices: devices.map(toDevice), backends: [...backends] };
}

function toDevice(device: MachineDescription['devices'][number]): DevicesResponseBody['devices'][number] {
  const { kind, name, totalBytes, freeBytes, cores, driver, computeCapability, backend, nextStep, faster } = device;
  return {
    kind,
    name,
    total: totalBytes,
    free: freeBytes,
    cores,
    driver,
    compute_capability: computeCapability?.toFixed(1),
    backend,
    next_step: nextStep,
    faster,
  };
}
