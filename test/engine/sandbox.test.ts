// What child processes cannot do on Linux: runners, tried by a script in their place, and the renderer of templates.

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { spawnChild } from '../../src/base/process/spawn-child.ts';
import { systemClock } from '../../src/base/time/clock.ts';
import { createJinjaRenderer } from '../../src/formats/chat/jinja/jinja-renderer.ts';
import { launcher } from '../support/engine.ts';
import { childrenOf, commandOf } from '../support/processes.ts';
import { repository } from '../support/repository.ts';

const script = repository('test/fixtures/probe-sandbox.mjs');

// Drivers of GPUs need more, and only processes that use them get it.
test.skipIf(process.platform !== 'linux').for([
  ['without a GPU', false, 'EACCES'],
  ['with a GPU', true, 'ok'],
] as const)('a sandboxed process %s has its files and nothing else', async ([, usesGpu, driversOnly], context) => {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-sandbox-'));
  const [secret, allowed, writable] = ['id_ed25519', 'model', 'target'].map((name) => join(folder, name));
  for (const file of [secret, allowed, writable]) await writeFile(file as string, 'content');
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const path = join(folder, 'socket');
  const local = createServer((socket) => socket.destroy()).listen(path);
  await once(local, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const cache = await mkdtemp(join(folder, 'cache-'));
    const args = [JSON.stringify({ secret, allowed, writable, folder, cache, port, path })];
    const order = JSON.stringify({ script, args, read: [allowed], write: [writable], usesGpu });
    const env = { CUDA_CACHE_PATH: cache };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [launcher, order], { env });
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
      fillCache: driversOnly,
      readEnvironmentOfParent: 'EACCES',
      tcp: 'EACCES',
      udp: 'EACCES',
      unixSocket: driversOnly,
      sharedMemory: driversOnly,
      changeMode: driversOnly,
      // No new privileges, and a system call filter, on every thread.
      threads: ['1,2'],
    });
  } finally {
    server.close();
    local.close();
    await rm(folder, { recursive: true });
  }
});

test.skipIf(process.platform !== 'linux')('the renderer of templates runs in the sandbox', async () => {
  const renderer = createJinjaRenderer(systemClock, { launcher });
  try {
    expect(await renderer.render('{{ messages[0].content }}', { messages: [{ content: 'rendered' }] })).toBe(
      'rendered',
    );
    const children = childrenOf(process.pid).filter((pid) => commandOf(pid).includes('renderJob'));
    const statuses = children.map((pid) => readFileSync(`/proc/${pid}/status`, 'utf8'));
    expect(statuses).toHaveLength(1);
    expect(statuses[0]).toMatch(/NoNewPrivs:\s*1/);
    expect(statuses[0]).toMatch(/Seccomp:\s*2/);
  } finally {
    renderer.stop();
  }
});

test.skipIf(process.platform !== 'linux')('a program in the arguments of Node cannot read the key', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-sandbox-'));
  const key = join(folder, 'id_ed25519');
  await writeFile(key, 'content');
  const program = `try { require('node:fs').readFileSync(${JSON.stringify(key)}); process.send('ok') } catch (error) { process.send(error.code) }`;
  const child = spawnChild(
    { launcher },
    { nodeArgs: ['--eval', program], read: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] },
  );
  let log = '';
  child.stderr?.on('data', (chunk) => {
    log += chunk;
  });
  try {
    const [answer] = await once(child, 'message');
    if (log.includes('landlock: not available')) {
      console.info(log);
      context.skip('the kernel has no Landlock');
    }
    expect(answer).toBe('EACCES');
  } finally {
    child.kill();
    await rm(folder, { recursive: true });
  }
});
