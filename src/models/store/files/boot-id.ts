// The kernel's boot ID. Data that a killed process wrote survives until the next boot even if it was not flushed; after
// a reboot only flushed data is reliable.

import { readFileSync } from 'node:fs';

/** Undefined if the system does not report it. */
export function readBootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return undefined;
  }
}
