// Measures /api/tags with a thousand models: after the start of a server, and warm.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '../test/support/server.ts';
import { fillStore } from './fill-store.ts';
import { report } from './report.ts';

const models = 1000;

export async function reportList(): Promise<void> {
  const { cold, warm } = await measureList();
  const line = (what: string, milliseconds: number, max: number): void =>
    report({
      what: `a list of 1,000 models, ${what}`,
      value: `${milliseconds.toFixed(0)} ms`,
      goal: `< ${max} ms`,
      met: milliseconds < max,
    });
  line('by a server that has just started', cold, 500);
  line('after that', warm, 50);
}

/** Returns milliseconds. `cold` is the first request after a start, with files in the page cache. */
async function measureList(): Promise<{ readonly cold: number; readonly warm: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-thousand-'));
  try {
    await fillStore(join(folder, 'models'), models);
    const server = await startServer({ store: folder });
    try {
      const list = async (): Promise<number> => {
        const begun = performance.now();
        const { models: listed } = (await (await fetch(`${server.url}/api/tags`)).json()) as { models: unknown[] };
        if (listed.length < models) throw new Error(`only ${listed.length} models are listed`);
        return performance.now() - begun;
      };
      const cold = await list();
      // Recently changed files are read again, because another change could have the same timestamp.
      await new Promise((resolve) => setTimeout(resolve, 4000));
      await list();
      const times: number[] = [];
      for (let turn = 0; turn < 11; turn++) times.push(await list());
      return { cold, warm: times.sort((a, b) => a - b)[Math.floor(times.length / 2)] as number };
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
