// Fails before a download instead of hours later.

import { HearthError } from '../../../base/errors.ts';
import type { Store } from '../../../models/store/store.ts';

/** Throws `disk_full` if the disk of the store has fewer bytes. */
export async function requireDiskSpace(store: Store, needed: number): Promise<void> {
  const free = await store.freeBytes();
  if (free === undefined || needed <= free) return;
  const [required, available] = [needed, free].map((bytes) => `${(bytes / 1e9).toFixed(2)} GB`);
  const message = `not enough disk space: ${required} required, ${available} available. Free some space and pull again.`;
  throw new HearthError('disk_full', message);
}
