// When each model was last used, from the usage log of the server: by this key, or by all without keys and for an
// administrator.

import { signal } from '@preact/signals';
import type { UsageResponseBody } from '../../src/features/usage/usage-schema.ts';
import { requestJson } from './request.ts';

/** Times in RFC 3339 by the name of the model. */
export const lastUse = signal<ReadonlyMap<string, string>>(new Map());

/** Without the log, nothing is known. */
export async function refreshLastUse(): Promise<void> {
  const { groups } = await requestJson<UsageResponseBody>('/api/usage?by=model');
  lastUse.value = new Map(groups.map(({ name, last_used_at: time }) => [name, time]));
}
