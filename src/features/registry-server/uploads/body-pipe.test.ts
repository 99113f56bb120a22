import { describe, expect, it } from 'vitest';
import { createBodyPipe } from './body-pipe.ts';

describe('a body pipe', () => {
  it('blocks the writer until the item is used', async () => {
    const bodyPipe = createBodyPipe<number>();
    const received: number[] = [];
    const reading = (async () => {
      for await (const item of bodyPipe) {
        await Promise.resolve();
        received.push(item);
      }
    })();
    for (let item = 0; item < 5; item++) {
      await bodyPipe.write(item);
      expect(received.at(-1)).toBe(item);
    }
    bodyPipe.end();
    await reading;
    expect(received).toEqual([0, 1, 2, 3, 4]);
  });

  it('reports a failure to both sides', async () => {
    const bodyPipe = createBodyPipe<number>();
    const waiting = bodyPipe.write(1);
    bodyPipe.fail(new Error('the disk is full'));
    await expect(waiting).rejects.toThrow('the disk is full');
    await expect(bodyPipe.write(2)).rejects.toThrow('the disk is full');
    const read = async () => {
      for await (const item of bodyPipe) expect(item).toBeUndefined();
    };
    await expect(read()).rejects.toThrow('the disk is full');
  });

  it('rejects writes after the end', async () => {
    const bodyPipe = createBodyPipe<number>();
    bodyPipe.end();
    await expect(bodyPipe.write(1)).rejects.toThrow('the pipe is closed');
  });
});
