import { expect, test } from 'vitest';
import { createJobQueue } from './job-queue.ts';

const all = () => true;

test('groups take turns', () => {
  const queue = createJobQueue<string>(10);
  for (const [group, task] of [
    ['a', 'a1'],
    ['a', 'a2'],
    ['b', 'b1'],
    ['a', 'a3'],
  ] as const)
    queue.push(group, task);
  expect([queue.take(all), queue.take(all), queue.take(all), queue.take(all)]).toEqual(['a1', 'b1', 'a2', 'a3']);
  expect(queue.take(all)).toBeUndefined();
});

test('groups that are not allowed keep their place', () => {
  const queue = createJobQueue<string>(10);
  queue.push('a', 'a1');
  queue.push('b', 'b1');
  expect(queue.take((group) => group === 'b')).toBe('b1');
  expect(queue.hasAllowed((group) => group === 'b')).toBe(false);
  expect(queue.take(all)).toBe('a1');
});

test('the largest group loses its newest task when the queue is full', () => {
  const queue = createJobQueue<string>(3);
  for (const task of ['a1', 'a2', 'a3']) expect(queue.push('a', task)).toBeUndefined();
  expect(queue.push('b', 'b1')).toBe('a3');
  expect(queue.push('a', 'a4')).toBe('a4');
  expect(queue.length).toBe(3);
});

test('removed tasks are not taken', () => {
  const queue = createJobQueue<string>(3);
  queue.push('a', 'a1');
  expect(queue.remove('a', 'a1')).toBe(true);
  expect(queue.remove('a', 'a1')).toBe(false);
  expect(queue.length).toBe(0);
  queue.push('b', 'b1');
  expect(queue.clear()).toEqual(['b1']);
});
