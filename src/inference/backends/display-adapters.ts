// The GPUs that Linux knows, whether or not a driver for computing is installed.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface DisplayAdapter {
  readonly vendor: 'NVIDIA' | 'AMD' | 'Intel';
  /** 0 if the driver does not say, or if the GPU uses main memory. */
  readonly totalBytes: number;
}

const vendors: Readonly<Record<string, DisplayAdapter['vendor']>> = {
  '0x10de': 'NVIDIA',
  '0x1002': 'AMD',
  '0x8086': 'Intel',
};
const maxAdapters = 64;

/** Empty on other systems. */
export function readDisplayAdapters(folder = '/sys/class/drm'): DisplayAdapter[] {
  return namesIn(folder)
    .filter((name) => /^card\d+$/.test(name))
    .slice(0, maxAdapters)
    .flatMap((name): DisplayAdapter[] => {
      const device = join(folder, name, 'device');
      const vendor = vendors[textOf(join(device, 'vendor'))];
      const memory = Number(textOf(join(device, 'mem_info_vram_total')));
      return vendor === undefined ? [] : [{ vendor, totalBytes: Number.isSafeInteger(memory) ? memory : 0 }];
    });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}
