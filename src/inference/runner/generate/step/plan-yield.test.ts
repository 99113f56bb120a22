import { expect, test } from 'vitest';
import { planYield } from './plan-yield.ts';

/** "a5" generates for client a since time 5; "a" evaluates its prompt. */
const holders = (...names: string[]) =>
  names.map((name) => ({
    name,
    client: name[0] as string,
    generatingSince: name.length === 1 ? undefined : Number(name.slice(1)),
  }));

function yields(live: ReturnType<typeof holders>, client: string, now = 100): string | undefined {
  return planYield(live, { client, now, slotNanoseconds: 50 })?.name;
}

test('the request that has generated longest yields to a client without slots', () => {
  expect(yields(holders('a20', 'a10', 'a30'), 'b')).toBe('a10');
  expect(yields(holders('a10'), 'b')).toBe('a10');
});

test('the client with the most slots yields', () => {
  expect(yields(holders('a1', 'b20', 'b30'), 'c')).toBe('b20');
});

test('no request yields to a client that has as many slots', () => {
  expect(yields(holders('a10', 'b10'), 'b')).toBeUndefined();
  expect(yields(holders('a10', 'a20'), 'a')).toBeUndefined();
  expect(yields(holders('a10', 'a20', 'b10'), 'b')).toBe('a10');
});

test('no request yields before its time, or while its prompt is evaluated', () => {
  expect(yields(holders('a51', 'a'), 'b')).toBeUndefined();
  expect(yields(holders('a50', 'a'), 'b')).toBe('a50');
});

test('a client with fewer slots yields if those with more cannot', () => {
  expect(yields(holders('a', 'a', 'b10'), 'c')).toBe('b10');
});
