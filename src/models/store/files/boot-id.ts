// Which run of the machine this is. What a killed process has written is still there while the machine runs on, flushed
// or not; after a restart only what was flushed is.

import { readFileSync } from 'node:fs';

/** Undefined where the system does not say. */
export function readBootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return undefined;
  }
}
