// A download during repeated kills of the server: no stored byte is downloaded twice.

import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hasDockerRegistry, startDockerRegistry } from '../../support/registry/docker-registry.ts';
import { startFaultProxy } from '../../support/registry/fault-proxy.ts';
import { digestOf, uploadModel } from '../../support/registry/registry-content.ts';
import { startServer } from '../../support/server.ts';
import { thoroughly } from '../../support/thorough.ts';

const size = thoroughly(200_000_000, 50_000_000);
const kills = thoroughly(20, 3);
// Bytes in connection buffers have left the registry but are not stored yet.
const inFlight = 1_000_000;

test.skipIf(!hasDockerRegistry)(
  `a pull of ${size / 1e6} MB completes after ${kills} kills of the server`,
  async () => {
    const registry = await startDockerRegistry();
    const proxy = await startFaultProxy(registry.url);
    const store = mkdtempSync(join(tmpdir(), 'hearth-kills-'));
    try {
      const content = randomBytes(size);
      const { manifest } = await uploadModel(registry.url, 'team/killed', [content]);
      // The speed of each of several connections.
      proxy.plan(({ path }) => (path.includes('/blobs/') ? { kind: 'slow', bytesPerSecond: 8_000_000 } : undefined));
      const model = `${proxy.host}/team/killed`;
      for (let kill = 1; kill <= kills; kill++) {
        const server = await startServer({ store });
        const body = JSON.stringify({ model, insecure: true });
        const reply = fetch(`${server.url}/api/pull`, { method: 'POST', body }).then((response) => response.text());
        reply.catch(() => {});
        const goal = Math.min((size / (kills + 1)) * kill, size);
        await expect.poll(() => proxy.bytesDown('/blobs/'), { interval: 20 }).toBeGreaterThan(goal);
        server.signal('SIGKILL');
        await server.exit;
      }
      proxy.plan(() => undefined);
      const server = await startServer({ store });
      const reply = await fetch(`${server.url}/api/pull`, {
        method: 'POST',
        body: JSON.stringify({ model, insecure: true }),
      });
      expect((await reply.text()).trim().split('\n').at(-1)).toBe('{"status":"success"}');
      await server.stop();

      const fetched = proxy.bytesDown('/blobs/');
      console.log(`${kills} kills: ${fetched} bytes fetched for ${size}, ${(fetched / size).toFixed(4)} of the size`);
      expect(fetched).toBeLessThan(1.1 * size + kills * inFlight);
      const blobs = join(store, 'models/blobs');
      const name = digestOf(content).replace(':', '-');
      expect(readFileSync(join(blobs, name)).equals(content)).toBe(true);
      expect(readFileSync(join(store, 'models/manifests', proxy.host, 'team/killed/latest'))).toEqual(manifest);
      expect(readdirSync(blobs).filter((entry) => entry.includes('download') || entry.startsWith('.'))).toEqual([]);
    } finally {
      await proxy.stop();
      await registry.stop();
      rmSync(store, { recursive: true, force: true });
    }
  },
  180_000,
);
