// Verifies that unloading a model frees its memory.

import { isAlive, pause, residentBytes } from '../test/support/processes.ts';
import type { TestServer } from '../test/support/server.ts';
import { report } from './report.ts';
import type { Subject } from './subject.ts';

export async function measureMemory(server: TestServer, { name: model }: Subject): Promise<void> {
  const mib = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;
  const [runner = 0] = server.runners();
  const loaded = residentBytes(runner);
  const before = residentBytes(server.pid);
  await fetch(`${server.url}/api/generate`, { method: 'POST', body: JSON.stringify({ model, keep_alive: 0 }) });
  while (server.runners().length > 0) await pause(20);
  const after = residentBytes(server.pid);
  report({
    what: `${model}, unloaded`,
    value: `the runner (${mib(loaded)}) has ended; the server uses ${mib(after)}, before ${mib(before)}`,
    goal: 'the memory is freed',
    met: !isAlive(runner) && after < before + 50 * 2 ** 20,
  });
}
