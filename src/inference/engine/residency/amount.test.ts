// Models on GPUs: which ones leave, and which loads wait.

import { describe, expect, test } from 'vitest';
import {
  createSimpleSimulation,
  estimateOf,
  residencyLimits,
} from '../../../../test/support/residency/simple-simulation.ts';
import type { DeviceBytes } from '../planning/device-bytes.ts';
import { neededBy } from './grant-leases.ts';

/** The name says where a model is: `a:0=4,1=2` takes 4 bytes of GPU0 and 2 of GPU1, and 1 byte of main memory. */
function devicesOf(key: string): DeviceBytes {
  const [, devices] = key.split(':');
  const parts = devices === undefined ? [] : devices.split(',').map((part) => part.split('='));
  return new Map(parts.map(([gpu, bytes]) => [`GPU${gpu}`, Number(bytes)]));
}

const deviceBudgets = new Map([
  ['GPU0', 10],
  ['GPU1', 10],
]);
const setUp = (changes = {}) =>
  createSimpleSimulation({ maxLoaded: 10, memoryBudget: 100, deviceBudgets, ...changes }, estimateOf, devicesOf);

test('models on different GPUs do not disturb each other', () => {
  const { load, present } = setUp();
  for (const key of ['a:0=9', 'b:1=9', 'c']) load(key);
  expect(present()).toEqual(['a:0=9', 'b:1=9', 'c']);
});

describe('a load that needs a GPU', () => {
  test('unloads idle models there, not older ones in main memory or on another GPU', () => {
    const { load, present, ask } = setUp();
    for (const key of ['old', 'other:1=9', 'here:0=6']) load(key);
    ask('new:0=6');
    expect(present()).toEqual(['old', 'other:1=9']);
  });

  test('unloads no more than necessary, the least recently used first', () => {
    const { load, present, ask } = setUp();
    for (const key of ['a:0=4', 'b:0=4', 'c:0=2']) load(key);
    ask('new:0=3');
    expect(present()).toEqual(['b:0=4', 'c:0=2']);
  });

  test('unloads models on each GPU that it needs', () => {
    const { load, present, ask } = setUp();
    for (const key of ['a:0=8', 'b:1=8', 'c']) load(key);
    ask('new:0=5,1=5');
    expect(present()).toEqual(['c']);
  });

  test('waits until a model there has exited', () => {
    const { load, ask, model, simulation } = setUp();
    load('a:0=8');
    const caller = ask('new:0=5');
    expect(simulation.loads).toEqual(['a:0=8']);
    simulation.exit(model('a:0=8'));
    expect(simulation.loads).toEqual(['a:0=8', 'new:0=5']);
    simulation.finishLoad(model('new:0=5'));
    expect(caller.outcome).toBe('granted');
  });

  test('waits for a model there that is in use, while models elsewhere are loaded', () => {
    const { use, ask, simulation, model } = setUp();
    const holder = use('a:0=8');
    ask('new:0=5');
    ask('cpu');
    ask('other:1=5');
    expect(simulation.loads).toEqual(['a:0=8', 'cpu', 'other:1=5']);
    simulation.release(holder);
    simulation.exit(model('a:0=8'));
    expect(simulation.loads.at(-1)).toBe('new:0=5');
  });
});

test('a load never needs more than an entire GPU, and GPUs without a budget do not count', () => {
  const limits = {
    ...residencyLimits,
    deviceBudgets: new Map([
      ['GPU0', 10],
      ['GPU1', -5],
    ]),
  };
  const devices = new Map([
    ['GPU0', 50],
    ['GPU1', 1],
    ['GPU2', 7],
  ]);
  expect(neededBy({ bytes: 3, devices }, limits)).toEqual({
    bytes: 3,
    places: 1,
    devices: new Map([
      ['GPU0', 10],
      ['GPU1', 0],
    ]),
  });
});

test('a load in main memory unloads only models that take some of it', () => {
  const { load, present, ask } = setUp({ memoryBudget: 10 });
  load('gpu:0=9');
  load('7');
  ask('6');
  expect(present()).toEqual(['gpu:0=9']);
});
