import { expect, test } from 'vitest';
import { RequestTimes } from './request-times.ts';

const sum = (parts: object | undefined): number => Object.values(parts ?? {}).reduce((total, part) => total + part, 0);

test('a request without a model has no parts', () => {
  expect(new RequestTimes(5).partsUntil(9)).toBeUndefined();
});

test('the parts add up to the time since the arrival', () => {
  const times = new RequestTimes(100);
  times.acquired(150, { from: 120, until: 148 });
  times.begun(160);
  times.text(200);
  expect(times.partsUntil(300)).toEqual({ queue: 32, load: 28, prompt: 40, generation: 100 });
});

test('only the part of a load that the request waited for counts', () => {
  const loadOf = (from: number, until: number): number | undefined => {
    const times = new RequestTimes(100);
    times.acquired(150, { from, until });
    expect(sum(times.partsUntil(170))).toBe(70);
    return times.partsUntil(170)?.load;
  };
  expect(loadOf(0, 50)).toBe(0);
  expect(loadOf(0, 130)).toBe(30);
  expect(loadOf(140, 160)).toBe(10);
});

test('a remote does not say when it began: all of its time before the first text is the prompt', () => {
  const times = new RequestTimes(0);
  times.acquired(10);
  times.text(50);
  expect(times.partsUntil(60)).toEqual({ queue: 10, load: 0, prompt: 40, generation: 10 });
});

test('of several answers, the first times count; without a text, there is no generation', () => {
  const times = new RequestTimes(0);
  times.acquired(10);
  times.acquired(20, { from: 0, until: 20 });
  times.begun(12);
  times.begun(30);
  expect(times.partsUntil(40)).toEqual({ queue: 12, load: 0, prompt: 28, generation: 0 });
});

test('the timeline has the parts in their order, and the queue around the load', () => {
  const times = new RequestTimes(100);
  times.acquired(150, { from: 120, until: 148 });
  times.begun(160);
  times.text(200);
  expect(times.timelineUntil(300).map(({ name, from, until }) => [name, from, until])).toEqual([
    ['queue', 100, 120],
    ['load', 120, 148],
    ['queue', 148, 160],
    ['prompt', 160, 200],
    ['generation', 200, 300],
  ]);
  const loadedBefore = new RequestTimes(100);
  loadedBefore.acquired(110, { from: 10, until: 20 });
  expect(loadedBefore.timelineUntil(130).map(({ name }) => name)).toEqual(['queue', 'prompt']);
  expect(new RequestTimes(5).timelineUntil(9)).toEqual([{ name: 'queue', from: 5, until: 9 }]);
});

test('an answer has times of its own, and the first ones are those of the request', () => {
  const whole = new RequestTimes(0);
  for (const startedAt of [10, 50]) {
    const times = whole.ofAnswer(startedAt);
    times.acquired(startedAt + 1);
    times.text(startedAt + 5);
    expect(times.partsUntil(startedAt + 8)).toEqual({ queue: 1, load: 0, prompt: 4, generation: 3 });
  }
  expect(whole.partsUntil(60)).toEqual({ queue: 11, load: 0, prompt: 4, generation: 45 });
});
