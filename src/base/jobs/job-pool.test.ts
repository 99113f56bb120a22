import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { createDeferred, type Deferred } from '../deferred.ts';
import { createJobPool, type JobHost } from './job-pool.ts';

const patience = 100;

function createPool() {
  const clock = createFakeClock();
  const hosts: { readonly jobs: Deferred<string>[] }[] = [];
  const startHost = (): JobHost<string, string> => {
    const jobs: Deferred<string>[] = [];
    hosts.push({ jobs });
    return {
      alive: true,
      run(_, onStart) {
        const outcome = createDeferred<string>();
        jobs.push(outcome);
        onStart();
        return outcome.promise;
      },
      kill: () => {},
    };
  };
  const limits = {
    milliseconds: 1e6,
    maxHosts: 2,
    maxWaiting: 9,
    startMilliseconds: 1e6,
    slowAfter: 1e4,
    probation: 1e4,
  };
  const pool = createJobPool({ clock, limits: { ...limits, patience }, startHost, keyOf: String, stopped: 'stopped' });
  const run = (group: string) => pool.run({ job: group, group });
  return { clock, hosts, run };
}

test('a job waits for a short one of another group instead of starting another host', async () => {
  const { hosts, run } = createPool();
  const first = run('a');
  const second = run('b');
  expect(hosts).toHaveLength(1);
  hosts[0]?.jobs[0]?.resolve('1');
  expect(await first).toBe('1');
  await Promise.resolve();
  hosts[0]?.jobs[1]?.resolve('2');
  expect(await second).toBe('2');
  expect(hosts).toHaveLength(1);
});

test('a job that has waited as long as the patience lasts gets another host', async () => {
  const { clock, hosts, run } = createPool();
  void run('a');
  const second = run('b');
  clock.advance(patience - 1);
  expect(hosts).toHaveLength(1);
  clock.advance(1);
  expect(hosts).toHaveLength(2);
  hosts[1]?.jobs[0]?.resolve('2');
  expect(await second).toBe('2');
});

test('a host that cannot be started is an error of the job, and the next job tries again', async () => {
  let starts = 0;
  const limits = {
    milliseconds: 1e6,
    maxHosts: 1,
    maxWaiting: 9,
    startMilliseconds: 1e6,
    slowAfter: 1e4,
    probation: 1e4,
  };
  const pool = createJobPool<string, string>({
    clock: createFakeClock(),
    limits: { ...limits, patience },
    startHost() {
      if (++starts === 1) throw new Error('no file handle');
      return { alive: true, run: async (job) => job, kill: () => {} };
    },
    keyOf: String,
    stopped: 'stopped',
  });
  await expect(pool.run({ job: '1', group: 'a' })).rejects.toThrow('no file handle');
  expect(await pool.run({ job: '2', group: 'a' })).toBe('2');
});
