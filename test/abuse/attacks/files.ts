// Special files in create, and verifications that nobody waits for.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { post } from '../../support/client.ts';
import { residentBytes } from '../../support/processes.ts';
import type { TestServer } from '../../support/server.ts';
import type { Attack } from '../harness.ts';

const maxGrowth = 256 * 2 ** 20;

/** More often than the server has threads for file operations, as a Modelfile and as weights. */
async function createFrom({ url, pid }: TestServer, path: string): Promise<void> {
  const before = residentBytes(pid);
  const bodies = Array.from({ length: 4 }, () => [{ path }, { modelfile: `FROM ${path}` }]).flat();
  const replies = await Promise.all(bodies.map((body) => post(url, '/api/create', { model: 'special', ...body })));
  for (const { text } of replies) expect(text).toContain('error');
  expect(residentBytes(pid) - before).toBeLessThan(maxGrowth);
  // File operations still work.
  expect((await fetch(`${url}/api/tags`)).status).toBe(200);
}

async function createFromFifo(server: TestServer): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-fifo-'));
  try {
    execFileSync('mkfifo', [join(folder, 'fifo')]);
    await createFrom(server, join(folder, 'fifo'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

async function abortVerifications({ url, pid }: TestServer): Promise<void> {
  const before = openFiles(pid);
  for (let round = 0; round < 10; round++) {
    const controller = new AbortController();
    const all = Array.from({ length: 30 }, () =>
      fetch(`${url}/api/verify`, { method: 'POST', body: '{}', signal: controller.signal }).catch(() => {}),
    );
    await new Promise((resolve) => setTimeout(resolve, 20));
    controller.abort();
    await Promise.all(all);
  }
  await vi.waitFor(() => expect(openFiles(pid)).toBeLessThan(before + 30), { timeout: 20_000 });
}

export const fileAttacks: readonly Attack[] = [
  ...['/dev/zero', '/dev/ptmx'].map((path) => ({
    name: `create from ${path}`,
    run: (server: TestServer) => createFrom(server, path),
  })),
  { name: 'create from a FIFO', run: createFromFifo },
  { name: '300 aborted verifications', run: abortVerifications },
];
