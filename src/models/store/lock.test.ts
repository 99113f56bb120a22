import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { identityOf, isRunning } from '../../base/process/process-identity.ts';
import { lockStore } from './lock.ts';

const base = mkdtempSync(join(tmpdir(), 'hearth-lock-'));
afterAll(() => rmSync(base, { recursive: true }));

let root: string;
beforeEach(() => {
  root = join(base, String(Math.random()));
});

const locks = (): string[] => readdirSync(root).filter((name) => name.startsWith('hearth-lock-'));

function leaveLock(holder: object | string, secondsAgo = 0): void {
  mkdirSync(root, { recursive: true });
  const path = join(root, 'hearth-lock-77-0123456789abcdef.json');
  writeFileSync(path, typeof holder === 'string' ? holder : JSON.stringify(holder));
  const then = Date.now() / 1000 - secondsAgo;
  utimesSync(path, then, then);
}

const since = Date.UTC(2026, 0, 2);

describe('lockStore', () => {
  test('allows one holder at a time, and another one after release', async () => {
    const first = await lockStore(root, { clock: createFakeClock(since) });
    expect(first.held).toBe(true);
    await expect(lockStore(root)).rejects.toMatchObject({
      message:
        `the store ${root} is in use by another Hearth: process ${process.pid} on ${hostname()}, since ` +
        '2026-01-02T00:00:00.000Z. Stop it, or use another store with HEARTH_MODELS or --models.',
    });
    expect(locks()).toHaveLength(1);
    await first.release();
    await first.release();
    expect(locks()).toEqual([]);
    await (await lockStore(root)).release();
  });

  test('gives the lock to exactly one of many concurrent callers', async () => {
    for (let round = 0; round < 20; round++) {
      const results = await Promise.allSettled(Array.from({ length: 10 }, () => lockStore(root)));
      const holders = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      expect(holders).toHaveLength(1);
      expect(locks()).toHaveLength(1);
      await holders[0]?.release();
    }
  });

  test('fails while another live process holds the lock, and succeeds after it is killed', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(child, 'spawn');
    // On systems that do not report process start times, the heartbeat decides.
    leaveLock({ ...identityOf(child.pid as number), since });
    await expect(lockStore(root)).rejects.toThrow(`process ${child.pid} on ${hostname()}`);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await (await lockStore(root)).release();
    expect(locks()).toEqual([]);
  });

  test('succeeds if the process id of the former holder was reused', async () => {
    leaveLock({ ...identityOf(process.pid), startTime: '1', since });
    await (await lockStore(root)).release();
  });

  const elsewhere = { pid: 1, host: 'other-container', pidNamespace: 'elsewhere', startTime: '5', since };

  test('fails for a lock from another PID namespace with a recent heartbeat', async () => {
    leaveLock(elsewhere, 20);
    await expect(lockStore(root)).rejects.toThrow(/process 1 on other-container.*last heartbeat was 2\d s ago/);
    leaveLock('half writ', 20);
    await expect(lockStore(root)).rejects.toThrow('an unknown process');
    leaveLock(elsewhere, 60);
    await (await lockStore(root)).release();
    expect(locks()).toEqual([]);
  });

  test('updates the heartbeat while the lock is held', async () => {
    const clock = createFakeClock(since);
    const lock = await lockStore(root, { clock });
    const [name = ''] = locks();
    utimesSync(join(root, name), 0, 0);
    clock.advance(10_000);
    await expect.poll(() => statSync(join(root, name)).mtimeMs).toBeGreaterThan(since);
    // The content is still readable.
    await expect(lockStore(root)).rejects.toThrow(`process ${process.pid} on`);
    await lock.release();
    clock.advance(100_000);
    expect(locks()).toEqual([]);
  });

  test('holds no lock for a store that is not writable', async () => {
    // Not writable even for root.
    const lock = await lockStore('/sys');
    expect(lock.held).toBe(false);
    await lock.release();
  });
});

describe('isRunning', () => {
  test('compares start times if the system reports them', () => {
    const own = identityOf(process.pid);
    expect(isRunning(own)).toBe(own.startTime !== '');
    expect(isRunning({ ...own, pid: 4194305 })).toBe(false);
    expect(isRunning({ ...own, pidNamespace: 'elsewhere' })).toBeUndefined();
    expect(isRunning({ ...own, pid: process.ppid, startTime: '' })).toBeUndefined();
  });
});
