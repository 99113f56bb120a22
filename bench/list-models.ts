// The time of /api/tags with a thousand models in the store, right after the start of the server and later.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseModelName } from '../src/models/name.ts';
import { mediaTypes } from '../src/models/store/manifests/manifest.ts';
import { encodeModelConfig } from '../src/models/store/manifests/model-config.ts';
import { createStore } from '../src/models/store/store.ts';
import { startServer } from '../test/support/server.ts';
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
  line('right after the start', cold, 500);
  line('later', warm, 50);
}

/** Milliseconds. `cold` is the first list after a start; the file cache of the system may be warm. */
async function measureList(): Promise<{ readonly cold: number; readonly warm: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-thousand-'));
  try {
    await fill(join(folder, 'models'));
    const server = await startServer({ store: folder });
    try {
      const list = async (): Promise<number> => {
        const start = performance.now();
        const { models: listed } = (await (await fetch(`${server.url}/api/tags`)).json()) as { models: unknown[] };
        if (listed.length < models) throw new Error(`only ${listed.length} models are listed`);
        return performance.now() - start;
      };
      const cold = await list();
      // Files that changed recently are read again: their next change could have the same time stamp.
      await new Promise((resolve) => setTimeout(resolve, 4000));
      await list();
      const times: number[] = [];
      for (let round = 0; round < 11; round++) times.push(await list());
      return { cold, warm: times.sort((a, b) => a - b)[Math.floor(times.length / 2)] as number };
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function fill(root: string): Promise<void> {
  const store = createStore(root);
  const weights = await store.putBlob(Buffer.from('weights'), mediaTypes.model);
  for (let index = 0; index < models; index++) {
    const details = {
      format: 'gguf',
      family: 'llama',
      families: ['llama'],
      parameterSize: `${index}B`,
      quantizationLevel: 'Q8_0',
    };
    const config = await store.putBlob(encodeModelConfig(details, [weights.digest]), mediaTypes.config);
    await store.putManifest(parseModelName(`team${index % 20}/model-${index}:v1`), {
      schemaVersion: 2,
      mediaType: mediaTypes.manifest,
      config,
      layers: [weights],
    });
  }
}
