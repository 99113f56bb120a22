// A process that prints an engine and its devices, as JSON: `describe.js [library of a backend …]`, or
// `describe.js --vision FILE` for an engine of vision models.

import { messageOf } from '../../../base/errors.ts';
import { writeErrorLine, writeResult } from '../../../base/process/child-program.ts';
import type { EngineDescription } from '../../protocol/engine-description.ts';
import { findBackend, findVisionBackend } from '../llama/find-backend.ts';
import { listDevices } from '../llama/list-devices.ts';
import { openBackend, openVisionBackend } from '../llama/open-backend.ts';

function describe([first, ...others]: readonly string[]): EngineDescription {
  const isVision = first === '--vision';
  const [file] = others;
  const backend = isVision ? findVisionBackend(file) : findBackend('auto');
  const libraries = first === undefined ? [] : [first, ...others];
  const api = isVision ? openVisionBackend(backend, file) : openBackend(backend, libraries);
  return { engine: `${backend.packageName}@${backend.packageVersion}`, devices: listDevices(api) };
}

try {
  writeResult(JSON.stringify(describe(process.argv.slice(2))));
} catch (error) {
  writeErrorLine(`error: ${messageOf(error)}`);
  process.exitCode = 1;
}
