import { expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { IdleTime } from './idle-time.ts';

const { signal } = new AbortController();

function create() {
  const clock = createFakeClock();
  const use = { isUsed: false, isWanted: false };
  const idle = new IdleTime({ isModelUsed: () => use.isUsed, isModelWanted: () => use.isWanted, clock });
  return { clock, use, idle };
}

test('work begins when no request uses a model, or after half a minute', async () => {
  const { clock, use, idle } = create();
  use.isUsed = true;
  const settled: string[] = [];
  const advance = async (seconds: number): Promise<void> => {
    for (let quarter = 0; quarter < 4 * seconds; quarter++) {
      clock.advance(250);
      await Promise.resolve();
      await Promise.resolve();
    }
  };
  void idle.wait(signal).then((when) => settled.push(when));
  await advance(20);
  expect(settled).toEqual([]);
  use.isUsed = false;
  await advance(1);
  expect(settled).toEqual(['idle']);
  use.isUsed = true;
  void idle.wait(signal).then((when) => settled.push(when));
  await advance(31);
  expect(settled).toEqual(['idle', 'late']);
  use.isWanted = true;
  void idle.wait(signal).then((when) => settled.push(when));
  await advance(60);
  expect(settled).toHaveLength(2);
});

test('work ends when a request arrives', async () => {
  const { clock, use, idle } = create();
  const work = idle.run(
    1,
    (until) =>
      new Promise((_, reject) => {
        until.addEventListener('abort', () => reject(new Error('canceled')));
      }),
    signal,
  );
  clock.advance(100);
  use.isUsed = true;
  clock.advance(10);
  expect(await work).toBeUndefined();
});

test('errors of the work are those of its caller', async () => {
  const { idle } = create();
  await expect(idle.run(1, () => Promise.reject(new Error('no model')), signal)).rejects.toThrow('no model');
});

test('the size of a part follows its time', async () => {
  const { clock, idle } = create();
  const sizes: number[] = [];
  for (const perItem of [1, 1, 1, 1, 1, 1, 5, 40, 400]) {
    const { items } = idle;
    await idle.run(items, async () => clock.advance(items * perItem), signal);
    sizes.push(idle.items);
  }
  expect(sizes).toEqual([2, 4, 8, 16, 16, 16, 10, 1, 1]);
});
