// GET /api/queue

import type { QueueResponseBody } from '../../src/server/dialects/hearth/status/queue-schema.ts';
import { requestJson } from './request.ts';

export interface QueuePlace {
  /** 1: the request is the next one. */
  readonly position: number;
  /** Of all requests that wait for the same. */
  readonly length: number;
}

export async function readPlace(request: string): Promise<QueuePlace | undefined> {
  return findPlace(await requestJson<QueueResponseBody>('/api/queue'), request);
}

/** undefined: the request does not wait. */
export function findPlace({ queues }: QueueResponseBody, request: string): QueuePlace | undefined {
  for (const { waiting } of queues) {
    const index = waiting.findIndex(({ id }) => id === request);
    if (index !== -1) return { position: index + 1, length: waiting.length };
  }
  return undefined;
}
