// Web pages of others.

import { request } from 'node:http';
import { expect } from 'vitest';
import type { TestServer } from '../../support/server.ts';
import type { Attack } from '../harness.ts';

/** The status. fetch does not let callers choose the Host. */
function statusOf(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    request(`${url}/api/tags`, { agent: false, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    })
      .on('error', reject)
      .end();
  });
}

async function rebind({ url }: TestServer): Promise<void> {
  const headers = { host: 'evil.example:11434', origin: 'http://evil.example:11434' };
  const statuses = await Promise.all(Array.from({ length: 100 }, () => statusOf(url, headers)));
  expect(new Set(statuses)).toEqual(new Set([403]));
  expect(await statusOf(url, { origin: 'chrome-extension://abcdef' })).toBe(403);
}

export const originAttacks: readonly Attack[] = [{ name: 'DNS rebinding', run: rebind }];
