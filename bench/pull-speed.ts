// How fast a model comes from a registry on this machine, beside curl for the same blob: the reference registry, turns
// one after the other, the digest included on our side.

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDockerRegistry } from '../test/support/docker-registry.ts';
import { uploadModel } from '../test/support/registry-content.ts';
import { startServer } from '../test/support/server.ts';

export interface PullTurn {
  /** Seconds. */
  readonly curl: number;
  /** curl, and the file flushed to the disk, which ours is when it is there. */
  readonly curlFlushed: number;
  readonly pull: number;
}

const size = 2 ** 29;

export async function measurePull(rounds: number): Promise<{ readonly size: number; readonly turns: PullTurn[] }> {
  const registry = await startDockerRegistry();
  const server = await startServer();
  // Beside the store, and so on the same disk.
  const folder = mkdtempSync(join(tmpdir(), 'hearth-bench-'));
  try {
    const { digests } = await uploadModel(registry.url, 'bench/pull', [randomBytes(size)]);
    const url = `${registry.url}/v2/bench/pull/blobs/${digests[0]}`;
    const model = `${registry.host}/bench/pull`;
    const pull = async (): Promise<number> => {
      const start = performance.now();
      const body = JSON.stringify({ model, insecure: true, stream: false });
      const text = await (await fetch(`${server.url}/api/pull`, { method: 'POST', body })).text();
      if (text !== '{"status":"success"}') throw new Error(text);
      const seconds = (performance.now() - start) / 1000;
      await fetch(`${server.url}/api/delete`, { method: 'DELETE', body: JSON.stringify({ model }) });
      return seconds;
    };
    const curl = (flush: boolean): number => {
      const target = join(folder, 'blob');
      const start = performance.now();
      execFileSync('curl', ['-s', '-f', '-o', target, url]);
      if (flush) execFileSync('sync', [target]);
      const seconds = (performance.now() - start) / 1000;
      rmSync(target);
      return seconds;
    };
    await pull();
    curl(false);
    const turns: PullTurn[] = [];
    for (let round = 0; round < rounds; round++)
      turns.push({ curl: curl(false), curlFlushed: curl(true), pull: await pull() });
    return { size, turns };
  } finally {
    await server.stop();
    await registry.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
