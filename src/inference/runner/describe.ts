// A process that prints the engine and its devices, as JSON: `describe.js [library of a backend …]`.

import { messageOf } from '../../base/errors.ts';
import type { EngineDescription } from '../protocol/engine-description.ts';
import { findBackend } from './llama/find-backend.ts';
import { listDevices } from './llama/list-devices.ts';
import { openBackend } from './llama/open-backend.ts';

function describe(libraries: readonly string[]): EngineDescription {
  const backend = findBackend('auto');
  const api = openBackend(backend, libraries);
  return { engine: `${backend.packageName}@${backend.packageVersion}`, devices: listDevices(api) };
}

try {
  process.stdout.write(JSON.stringify(describe(process.argv.slice(2))));
} catch (error) {
  process.stderr.write(`error: ${messageOf(error)}\n`);
  process.exitCode = 1;
}
