import { describe, expect, test } from 'vitest';
import { createScriptedLoop, type ScriptedLoop } from '../../../../../test/support/runner/scripted-loop.ts';
import { alphabet } from '../../../../../test/support/runner/scripted-model.ts';

const orderOf = ({ events }: ScriptedLoop, type: 'started' | 'done'): number[] =>
  events.flatMap((event) => (event.type === type ? [event.id] : []));

const background = { client: 'batch', background: true } as const;

describe.each([false, true])('requests in the background, on a GPU: %s', (hasDeviceMemory) => {
  test('stand still while another request has something to do', () => {
    const scripted = createScriptedLoop({ script: alphabet, parallel: 4, hasDeviceMemory });
    for (const id of [1, 2]) scripted.add(id, 'a', { ...background, budget: 20 });
    for (let step = 0; step < 5; step++) scripted.loop.step();
    const before = [1, 2].map((id) => scripted.textOf(id));
    scripted.add(9, 'p', { client: 'person', budget: 5 });
    while (!orderOf(scripted, 'done').includes(9)) scripted.loop.step();
    // A GPU has begun a pass when the request arrives.
    for (const [index, id] of [1, 2].entries())
      expect(scripted.textOf(id).length - (before[index] as string).length).toBeLessThanOrEqual(2);
    scripted.run();
    expect([1, 2, 9].map(scripted.textOf)).toEqual(['bcdefghijklmnopqrstu', 'bcdefghijklmnopqrstu', 'qrstu']);
  });

  test('leave a slot free, and get it when they are one', () => {
    const scripted = createScriptedLoop({ script: alphabet, parallel: 3, hasDeviceMemory });
    for (const id of [1, 2, 3]) scripted.add(id, 'a', { ...background, budget: 5 });
    for (let step = 0; step < 3; step++) scripted.loop.step();
    expect(orderOf(scripted, 'started')).toEqual([1, 2]);
    scripted.run();
    expect([1, 2, 3].map(scripted.textOf)).toEqual(['bcdef', 'bcdef', 'bcdef']);

    const single = createScriptedLoop({ script: alphabet, parallel: 1, hasDeviceMemory });
    single.add(1, 'a', { ...background, budget: 3 });
    single.run();
    expect(single.textOf(1)).toBe('bcd');
  });

  test.each([1, 3])('yield their slots of %i at once, in a prompt too, and continue where they were', (parallel) => {
    const scripted = createScriptedLoop({ script: alphabet, parallel, numBatch: 10, hasDeviceMemory });
    const prompt = 'y'.repeat(50).concat('a');
    scripted.add(1, prompt, { ...background, budget: 10 });
    scripted.add(2, `z${prompt}`, { ...background, budget: 10 });
    scripted.loop.step();
    for (const id of [8, 9]) scripted.add(id, 'p', { client: 'person', budget: 3 });
    for (let step = 0; step < 12; step++) scripted.loop.step();
    expect(orderOf(scripted, 'done').toSorted()).toEqual([8, 9]);
    scripted.run();
    expect([1, 2, 8, 9].map(scripted.textOf)).toEqual(['bcdefghijk', 'bcdefghijk', 'qrs', 'qrs']);
  });

  test('do not lead a request that begins with the same prompt', () => {
    const scripted = createScriptedLoop({ script: alphabet, parallel: 4, numBatch: 10, hasDeviceMemory });
    const prompt = 'y'.repeat(200).concat('a');
    scripted.add(1, prompt, { ...background, budget: 3 });
    for (let step = 0; step < 3; step++) scripted.loop.step();
    scripted.add(9, prompt, { client: 'client', budget: 3 });
    scripted.run();
    expect(orderOf(scripted, 'done')).toEqual([9, 1]);
    expect([1, 9].map(scripted.textOf)).toEqual(['bcd', 'bcd']);
  });

  test('more of them than can be paused among persons do not keep a person waiting', () => {
    const scripted = createScriptedLoop({ script: alphabet, parallel: 100, prefixCacheBytes: 1e6, hasDeviceMemory });
    for (let id = 0; id < 99; id++) scripted.add(id, 'a', { ...background, budget: 30 });
    for (let step = 0; step < 3; step++) scripted.loop.step();
    for (let id = 100; id < 200; id++) scripted.add(id, 'p', { client: `person ${id}`, budget: 2 });
    for (let step = 0; step < 10; step++) scripted.loop.step();
    expect(orderOf(scripted, 'done').filter((id) => id >= 100)).toHaveLength(100);
    scripted.run();
    expect(orderOf(scripted, 'done')).toHaveLength(199);
  });
});
