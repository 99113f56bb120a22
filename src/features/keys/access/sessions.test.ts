import { expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { Sessions, sessionSeconds } from './sessions.ts';

const keyOf = (id: string) => ({ id, hash: `hash-${id}` });

test('a key that signs in again and again ends its own oldest sessions, and none of others', () => {
  const sessions = new Sessions(createFakeClock());
  const other = sessions.open(keyOf('other'));
  const values = Array.from({ length: 20_000 }, () => sessions.open(keyOf('busy')));
  expect(sessions.find(other)).toMatchObject(keyOf('other'));
  expect(sessions.find(values.at(-1) ?? '')).toMatchObject(keyOf('busy'));
  expect(values.filter((value) => sessions.find(value) !== undefined)).toHaveLength(100);
});

test('if there are too many, the key with the most sessions loses its oldest', () => {
  const sessions = new Sessions(createFakeClock());
  const first = sessions.open(keyOf('first'));
  const many = Array.from({ length: 100 }, () => sessions.open(keyOf('many')));
  for (let index = 0; index < 9_950; index++) sessions.open(keyOf(`key-${index}`));
  expect(sessions.find(first)).toBeDefined();
  expect(sessions.find(many[0] ?? '')).toBeUndefined();
});

test('a session ends when it is ended, and after its time', () => {
  const clock = createFakeClock();
  const sessions = new Sessions(clock);
  const [ended, old] = [sessions.open(keyOf('a')), sessions.open(keyOf('a'))];
  sessions.end(ended);
  expect([sessions.find(ended), sessions.find(old)]).toEqual([undefined, expect.objectContaining(keyOf('a'))]);
  clock.advance(sessionSeconds * 1000);
  expect(sessions.find(old)).toBeUndefined();
});
