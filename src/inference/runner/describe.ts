// A process that prints the llama.cpp build that runners use and its devices, as JSON: `describe.js <build>`.

import type { EngineBuildName } from '../protocol/messages.ts';
import { findBackend } from './llama/find-backend.ts';
import { openBackend } from './llama/open-backend.ts';

const backend = findBackend((process.argv[2] ?? 'auto') as EngineBuildName);
const api = openBackend(backend);
const devices = Array.from({ length: api.deviceCount() }, (_, index) => api.deviceGet(index));
process.stdout.write(
  JSON.stringify({
    build: `${backend.packageName}@${backend.packageVersion}`,
    devices: devices.map((device) => `${api.deviceName(device)} (${api.deviceDescription(device).trim()})`),
  }),
);
