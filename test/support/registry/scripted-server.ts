// The server in this process with a scripted runner, for behavior that Ember does not have.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../../src/base/logger.ts';
import { systemClock } from '../../../src/base/time/clock.ts';
import { compose } from '../../../src/server/compose/compose.ts';
import { loadSettings } from '../../../src/settings/load-settings.ts';
import { fixtureRunner } from '../fixture-runner.ts';
import { repository } from '../repository.ts';

export interface ScriptedServer {
  readonly url: string;
  readonly store: string;
  stop(): Promise<void>;
}

/** `runner` is the name of a fixture. */
export async function startScriptedServer(runner: string): Promise<ScriptedServer> {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-test-'));
  const store = join(folder, 'models');
  const settings = loadSettings({ environment: {}, flags: { host: '127.0.0.1:0', models: store } });
  const hearth = compose({
    settings,
    version: '0.0.0',
    packageFolder: repository(''),
    clock: systemClock,
    logger: silentLogger,
    runnerScript: fixtureRunner(runner),
  });
  const url = await hearth.start();
  // Tests write into the store, so it must be prepared.
  await fetch(`${url}/readyz`);
  return {
    url,
    store,
    async stop() {
      await hearth.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
