import { describe, expect, it } from 'vitest';
import { createHandoff } from './body-pipe.ts';

describe('a handoff', () => {
  it('lets the giver wait until the item was used', async () => {
    const handoff = createHandoff<number>();
    const taken: number[] = [];
    const taking = (async () => {
      for await (const item of handoff) {
        await Promise.resolve();
        taken.push(item);
      }
    })();
    for (let item = 0; item < 5; item++) {
      await handoff.give(item);
      expect(taken.at(-1)).toBe(item);
    }
    handoff.end();
    await taking;
    expect(taken).toEqual([0, 1, 2, 3, 4]);
  });

  it('that fails tells both sides', async () => {
    const handoff = createHandoff<number>();
    const waiting = handoff.give(1);
    handoff.fail(new Error('the disk is full'));
    await expect(waiting).rejects.toThrow('the disk is full');
    await expect(handoff.give(2)).rejects.toThrow('the disk is full');
    const take = async () => {
      for await (const item of handoff) expect(item).toBeUndefined();
    };
    await expect(take()).rejects.toThrow('the disk is full');
  });

  it('that has ended takes nothing more', async () => {
    const handoff = createHandoff<number>();
    handoff.end();
    await expect(handoff.give(1)).rejects.toThrow('nobody takes');
  });
});
