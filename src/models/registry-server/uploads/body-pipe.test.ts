import { describe, expect, it } from 'vitest';
import { createBodyPipe } from './body-pipe.ts';

describe('a handoff', () => {
  it('lets the giver wait until the item was used', async () => {
    const bodyPipe = createBodyPipe<number>();
    const taken: number[] = [];
    const taking = (async () => {
      for await (const item of bodyPipe) {
        await Promise.resolve();
        taken.push(item);
      }
    })();
    for (let item = 0; item < 5; item++) {
      await bodyPipe.write(item);
      expect(taken.at(-1)).toBe(item);
    }
    bodyPipe.end();
    await taking;
    expect(taken).toEqual([0, 1, 2, 3, 4]);
  });

  it('that fails tells both sides', async () => {
    const bodyPipe = createBodyPipe<number>();
    const waiting = bodyPipe.write(1);
    bodyPipe.fail(new Error('the disk is full'));
    await expect(waiting).rejects.toThrow('the disk is full');
    await expect(bodyPipe.write(2)).rejects.toThrow('the disk is full');
    const take = async () => {
      for await (const item of bodyPipe) expect(item).toBeUndefined();
    };
    await expect(take()).rejects.toThrow('the disk is full');
  });

  it('that has ended takes nothing more', async () => {
    const bodyPipe = createBodyPipe<number>();
    bodyPipe.end();
    await expect(bodyPipe.write(1)).rejects.toThrow('nobody takes');
  });
});
