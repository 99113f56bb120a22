// The speed of a pull from the reference registry on this machine, compared with curl for the same blob, in alternating
// rounds. The pull includes the digest.

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDockerRegistry } from '../test/support/registry/docker-registry.ts';
import { uploadModel } from '../test/support/registry/registry-content.ts';
import { startServer } from '../test/support/server.ts';
import { median, report, rounds } from './report.ts';

interface PullRound {
  /** Seconds. */
  readonly curl: number;
  /** curl, then sha256sum, then a flush to the disk: the work of a pull, in sequence. */
  readonly byHand: number;
  readonly pull: number;
}

const size = 2 ** 29;

export async function reportPull(): Promise<void> {
  const results = await measurePull();
  const speed = (seconds: number): string => `${(size / 1e6 / seconds).toFixed(0)} MB/s`;
  const ratio = median(results.map(({ curl, pull }) => curl / pull));
  const byHand = median(results.map((result) => result.byHand / result.pull));
  const speeds = [results.map(({ pull }) => pull), results.map(({ curl }) => curl)].map((times) =>
    speed(median(times)),
  );
  report({
    what: `a blob of ${Math.round(size / 2 ** 20)} MiB from a registry on this machine, with its digest`,
    value: `${ratio.toFixed(3)} of curl (${speeds.join(' and ')})`,
    goal: '≥ 0.8',
    met: ratio >= 0.8,
  });
  report({ what: 'the same, compared with curl, sha256sum and a flush', value: byHand.toFixed(3) });
}

async function measurePull(): Promise<PullRound[]> {
  const registry = await startDockerRegistry();
  const server = await startServer();
  // In the same folder as the store, and so on the same disk.
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
    const curl = (verify: boolean): number => {
      const target = join(folder, 'blob');
      const start = performance.now();
      execFileSync('curl', ['-s', '-f', '-o', target, url]);
      if (verify) {
        execFileSync('sha256sum', [target]);
        execFileSync('sync', [target]);
      }
      const seconds = (performance.now() - start) / 1000;
      rmSync(target);
      return seconds;
    };
    await pull();
    curl(false);
    const results: PullRound[] = [];
    for (let round = 0; round < rounds; round++)
      results.push({ curl: curl(false), byHand: curl(true), pull: await pull() });
    return results;
  } finally {
    await server.stop();
    await registry.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
