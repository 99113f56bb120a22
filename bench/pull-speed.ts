// Measures a pull from a local reference registry against curl for the same blob, in alternating runs. The pull
// includes the digest.

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDockerRegistry } from '../test/support/registry/docker-registry.ts';
import { uploadModel } from '../test/support/registry/registry-content.ts';
import { startServer } from '../test/support/server.ts';
import { median, report, rounds } from './report.ts';

interface PullTurn {
  readonly curlSeconds: number;
  /** curl, then sha256sum, then a flush to disk: the steps of a pull in sequence. */
  readonly byHand: number;
  readonly pull: number;
}

const size = 2 ** 29;

export async function reportPull(): Promise<void> {
  const turns = await measurePull();
  const speed = (seconds: number): string => `${(size / 1e6 / seconds).toFixed(0)} MB/s`;
  const ratio = median(turns.map(({ curlSeconds, pull }) => curlSeconds / pull));
  const byHand = median(turns.map((turn) => turn.byHand / turn.pull));
  const speeds = [turns.map(({ pull }) => pull), turns.map(({ curlSeconds }) => curlSeconds)].map((times) =>
    speed(median(times)),
  );
  report({
    what: `a blob of ${Math.round(size / 2 ** 20)} MiB from a local registry, including its digest`,
    value: `${ratio.toFixed(3)} of curl (${speeds.join(' and ')})`,
    goal: '≥ 0.8',
    met: ratio >= 0.8,
  });
  report({ what: 'the same, compared with curl, sha256sum and a flush', value: byHand.toFixed(3) });
}

async function measurePull(): Promise<PullTurn[]> {
  const registry = await startDockerRegistry();
  const server = await startServer();
  // Next to the store, on the same disk.
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
    const curl = (wholly: boolean): number => {
      const target = join(folder, 'blob');
      const start = performance.now();
      execFileSync('curlSeconds', ['-s', '-f', '-o', target, url]);
      if (wholly) {
        execFileSync('sha256sum', [target]);
        execFileSync('sync', [target]);
      }
      const seconds = (performance.now() - start) / 1000;
      rmSync(target);
      return seconds;
    };
    await pull();
    curl(false);
    const turns: PullTurn[] = [];
    for (let round = 0; round < rounds; round++)
      turns.push({ curlSeconds: curl(false), byHand: curl(true), pull: await pull() });
    return turns;
  } finally {
    await server.stop();
    await registry.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
