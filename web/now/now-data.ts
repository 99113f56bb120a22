// What the server does now. It is read again and again as long as the view is shown.

import { type ReadonlySignal, signal } from '@preact/signals';
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

export type LoadedModel = PsResponseBody['models'][number];
export type ActiveRequest = ActivityResponseBody['requests'][number];
export type LoggedRequest = RequestLogResponseBody['requests'][number];
export type KeyUsage = Pick<KeysResponseBody, 'keys'> & Pick<UsageResponseBody, 'groups'>;

export interface NowData {
  /** undefined: not known yet. */
  readonly status: ReadonlySignal<Status | undefined>;
  readonly devices: ReadonlySignal<DevicesResponseBody['devices']>;
  /** undefined: the server has no keys, or this one does not manage them. */
  readonly keyUsage: ReadonlySignal<KeyUsage | undefined>;
  /** undefined: it is off, or others may read it. */
  readonly log: ReadonlySignal<readonly LoggedRequest[] | undefined>;
  cancel(id: string): Promise<void>;
  /** The result ends it. */
  start(): () => void;
}

export interface Status {
  readonly models: readonly LoadedModel[];
  readonly activity: ActivityResponseBody;
  /** As it was read before. */
  readonly previous?: ActivityResponseBody;
}

// Milliseconds. Devices and usage take the server longer to find out.
const statusInterval = 2000;
const factsInterval = 15_000;
export const usagePeriod = '24h';

export function createNowData(): NowData {
  const status = signal<Status | undefined>(undefined);
  const devices = signal<DevicesResponseBody['devices']>([]);
  const keyUsage = signal<KeyUsage | undefined>(undefined);
  const log = signal<readonly LoggedRequest[] | undefined>(undefined);

  const readStatus = async (): Promise<void> => {
    const [{ models }, activity] = await Promise.all([
      requestJson<PsResponseBody>('/api/ps'),
      requestJson<ActivityResponseBody>('/api/activity'),
    ]);
    const previous = status.peek()?.activity;
    status.value = { models, activity, ...(previous === undefined ? {} : { previous }) };
  };
  const readFacts = async (): Promise<void> => {
    const [machine, usage, logged] = await Promise.all([
      requestJson<DevicesResponseBody>('/api/devices'),
      isKeyRequired.peek() && isAdmin.peek() ? readKeyUsage() : undefined,
      isAdmin.peek() ? readLog() : undefined,
    ]);
    devices.value = machine.devices;
    keyUsage.value = usage;
    log.value = logged;
  };

  return {
    status,
    devices,
    keyUsage,
    log,
    async cancel(id) {
      // One that has ended meanwhile is gone, too.
      await request(`/api/requests/${encodeURIComponent(id)}`, { method: 'DELETE' }).catch(() => {});
      await readStatus();
    },
    start() {
      const ends = [pollWhileVisible(readStatus, statusInterval), pollWhileVisible(readFacts, factsInterval)];
      return () => {
        for (const end of ends) end();
      };
    },
  };
}

async function readKeyUsage(): Promise<KeyUsage> {
  const [{ keys }, { groups }] = await Promise.all([
    requestJson<KeysResponseBody>('/api/keys'),
    requestJson<UsageResponseBody>(`/api/usage?by=key&since=${usagePeriod}`),
  ]);
  return { keys, groups };
}

async function readLog(): Promise<readonly LoggedRequest[] | undefined> {
  const { request_log: kept } = await requestJson<VersionResponseBody>('/api/version');
  if (kept === undefined) return undefined;
  // Without keys, only browsers on the machine of the server may read it.
  const log = await requestJson<RequestLogResponseBody>('/api/requests/log').catch(() => undefined);
  return log?.requests;
}
