// What the server does now, read again and again as long as the view is shown.

import { signal } from '@preact/signals';
import type { KeysResponseBody } from '../../src/features/keys/keys-schema.ts';
import type { RequestLogResponseBody } from '../../src/features/usage/request-log-schema.ts';
import type { UsageResponseBody } from '../../src/features/usage/usage-schema.ts';
import type { ActivityResponseBody } from '../../src/server/dialects/hearth/status/activity-schema.ts';
import type { DevicesResponseBody } from '../../src/server/dialects/hearth/status/devices-schema.ts';
import type { PsResponseBody } from '../../src/server/dialects/ollama/status/ps-schema.ts';
import type { VersionResponseBody } from '../../src/server/dialects/ollama/status/version-schema.ts';
import { pollWhileVisible } from '../api/poll.ts';
import { request, requestJson } from '../api/request.ts';
import { isAdmin, isKeyRequired } from '../api/session.ts';

export type ModelInMemory = PsResponseBody['models'][number];
export type ActiveRequest = ActivityResponseBody['requests'][number];
export type RequestRecord = RequestLogResponseBody['requests'][number];
export type KeyUsage = Pick<KeysResponseBody, 'keys'> & Pick<UsageResponseBody, 'groups'>;

export interface Status {
  readonly models: readonly ModelInMemory[];
  readonly activity: ActivityResponseBody;
  /** The activity as it was read before. */
  readonly previous?: ActivityResponseBody;
}

const statusIntervalMs = 2000;
/** Devices and usage take the server longer to find out. */
const factsIntervalMs = 15_000;
const usagePeriod = '24h';

export class NowData {
  /** undefined: not known yet. */
  readonly status = signal<Status | undefined>(undefined);
  readonly devices = signal<DevicesResponseBody['devices']>([]);
  /** undefined: the server has no keys, or this key does not manage them. */
  readonly keyUsage = signal<KeyUsage | undefined>(undefined);
  /** undefined: the log is off, or only others may read it. */
  readonly log = signal<readonly RequestRecord[] | undefined>(undefined);

  /** The result ends it. */
  start(): () => void {
    const endStatus = pollWhileVisible(() => this.#readStatus(), statusIntervalMs);
    const endFacts = pollWhileVisible(() => this.#readFacts(), factsIntervalMs);
    return () => {
      endStatus();
      endFacts();
    };
  }

  async cancel(id: string): Promise<void> {
    // A request that has ended meanwhile is gone, too.
    await request(`/api/requests/${encodeURIComponent(id)}`, { method: 'DELETE' }).catch(() => {});
    await this.#readStatus();
  }

  async #readStatus(): Promise<void> {
    const [{ models }, activity] = await Promise.all([
      requestJson<PsResponseBody>('/api/ps'),
      requestJson<ActivityResponseBody>('/api/activity'),
    ]);
    this.status.value = { models, activity, previous: this.status.peek()?.activity };
  }

  async #readFacts(): Promise<void> {
    const [machine, usage, logged] = await Promise.all([
      requestJson<DevicesResponseBody>('/api/devices'),
      isKeyRequired.peek() && isAdmin.peek() ? readKeyUsage() : undefined,
      isAdmin.peek() ? readLog() : undefined,
    ]);
    this.devices.value = machine.devices;
    this.keyUsage.value = usage;
    this.log.value = logged;
  }
}

async function readKeyUsage(): Promise<KeyUsage> {
  const [{ keys }, { groups }] = await Promise.all([
    requestJson<KeysResponseBody>('/api/keys'),
    requestJson<UsageResponseBody>(`/api/usage?by=key&since=${usagePeriod}`),
  ]);
  return { keys, groups };
}

async function readLog(): Promise<readonly RequestRecord[] | undefined> {
  const { request_log: kept } = await requestJson<VersionResponseBody>('/api/version');
  if (kept === undefined) return undefined;
  // Without keys, only browsers on the machine of the server may read it.
  const log = await requestJson<RequestLogResponseBody>('/api/requests/log').catch(() => undefined);
  return log?.requests;
}
