// Starts the reference registry, uploads and downloads a blob, and stops it.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isAlive } from '../processes.ts';
import { hasDockerRegistry, startDockerRegistry } from './docker-registry.ts';
import { startFaultProxy } from './fault-proxy.ts';

describe.skipIf(!hasDockerRegistry)('docker-registry', () => {
  it('stores blobs, also through the proxy, and uses its address in Location headers', async () => {
    const registry = await startDockerRegistry();
    const proxy = await startFaultProxy(registry.url);
    try {
      expect((await fetch(`${registry.url}/v2/`)).status).toBe(200);
      const body = Buffer.from('a blob');
      const digest = `sha256:${createHash('sha256').update(body).digest('hex')}`;
      const begun = await fetch(`${proxy.url}/v2/library/x/blobs/uploads/`, { method: 'POST' });
      const location = begun.headers.get('location') ?? '';
      expect(location.startsWith(proxy.url)).toBe(true);
      const done = await fetch(`${location}&digest=${digest}`, { method: 'PUT', body });
      expect(done.status).toBe(201);
      const back = await fetch(`${registry.url}/v2/library/x/blobs/${digest}`, { headers: { range: 'bytes=2-' } });
      expect([back.status, await back.text()]).toEqual([206, 'blob']);
    } finally {
      await proxy.stop();
      await registry.stop();
    }
    expect(isAlive(registry.pid)).toBe(false);
    expect(existsSync(registry.folder)).toBe(false);
  });
});
