// What a runner cannot do on Linux, tried by a script in its place.

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { launcher } from '../support/engine.ts';
import { repository } from '../support/repository.ts';

const script = repository('test/fixtures/probe-sandbox.mjs');

test.skipIf(process.platform !== 'linux')('a sandboxed process has its files and nothing else', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-sandbox-'));
  const [secret, allowed, writable] = ['id_ed25519', 'model', 'target'].map((name) => join(folder, name));
  for (const file of [secret, allowed, writable]) await writeFile(file as string, 'content');
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const args = [JSON.stringify({ secret, allowed, writable, folder, port })];
    const order = JSON.stringify({ script, args, read: [allowed], write: [writable] });
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [launcher, order], { env: {} });
    if (stderr.includes('landlock: not available')) {
      console.info(stderr);
      context.skip('the kernel has no Landlock');
    }
    expect(JSON.parse(stdout)).toEqual({
      readSecret: 'EACCES',
      readAllowed: 'ok',
      writeAllowed: 'EACCES',
      writeWritable: 'ok',
      listFolder: 'EACCES',
      createFile: 'EACCES',
      readEnvironmentOfParent: 'EACCES',
      tcp: 'EACCES',
      udp: 'EACCES',
      // No new privileges, and a system call filter, on every thread.
      threads: ['1,2'],
    });
  } finally {
    server.close();
    await rm(folder, { recursive: true });
  }
});
