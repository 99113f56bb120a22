import { beforeEach, expect, test } from 'vitest';
import { createFakeClock, type FakeClock } from '../../../test/support/fake-clock.ts';
import type { LoadedModel } from '../engine/ports.ts';
import { createRemoteResidency, type RemoteResidency } from './remote-residency.ts';

let clock: FakeClock;
let residency: RemoteResidency;
let unloaded: string[];
const model = { name: 'far', key: 'k', memory: { totalBytes: 0, deviceBytes: 0 } } as LoadedModel;
const states = () => residency.list().map(({ state }) => state);

beforeEach(() => {
  clock = createFakeClock();
  unloaded = [];
  const onUnload = async (key: string): Promise<void> => void unloaded.push(key);
  residency = createRemoteResidency({ keepAlive: 1000, clock, onUnload });
});

test('a model is busy while a request has it, and leaves the list later without being put to sleep', () => {
  const release = residency.hold(model, undefined);
  expect(states()).toEqual(['busy']);
  expect(residency.running()).toBe(1);
  release();
  release();
  expect(states()).toEqual(['idle']);
  expect(residency.running()).toBe(0);
  clock.advance(1001);
  expect(states()).toEqual([]);
  expect(unloaded).toEqual([]);
});

test('a model is put to sleep when the time that a request asked for is over', () => {
  residency.hold(model, 5000)();
  clock.advance(4000);
  const release = residency.hold(model, undefined);
  clock.advance(4000);
  release();
  expect(unloaded).toEqual([]);
  clock.advance(5001);
  expect(unloaded).toEqual(['k']);
});

test('keep_alive 0 puts a model to sleep after its last request', () => {
  const releases = [residency.hold(model, undefined), residency.hold(model, 0)];
  releases[1]?.();
  expect(unloaded).toEqual([]);
  releases[0]?.();
  expect(unloaded).toEqual(['k']);
});

test('an unloaded model is put to sleep, also one that this server has not used', async () => {
  await residency.unload('other');
  residency.hold(model, undefined)();
  await residency.unload('k');
  expect(unloaded).toEqual(['other', 'k']);
  expect(states()).toEqual([]);
});

test('idle waits for all requests', async () => {
  const release = residency.hold(model, undefined);
  let isIdle = false;
  const waiting = residency.idle().then(() => {
    isIdle = true;
  });
  await Promise.resolve();
  expect(isIdle).toBe(false);
  release();
  await waiting;
});
