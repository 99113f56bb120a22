import { describe, expect, test } from 'vitest';
import { createTurns } from './turns.ts';

const requests = (...names: string[]) => names.map((name) => ({ client: name[0] as string, name }));

/** The order in which a single slot serves the requests. */
function order(waiting: { client: string; name: string }[]): string[] {
  const turns = createTurns();
  const left = [...waiting];
  const served: string[] = [];
  while (left.length > 0) {
    const next = turns.next(left, []);
    turns.taken(next);
    left.splice(left.indexOf(next), 1);
    served.push(next.name);
  }
  return served;
}

describe('the next request', () => {
  test('requests of one client keep their order of arrival', () => {
    expect(order(requests('a1', 'a2', 'a3'))).toEqual(['a1', 'a2', 'a3']);
  });

  test('a single request does not wait for the many of another client', () => {
    expect(order(requests('a1', 'a2', 'a3', 'a4', 'b1'))).toEqual(['a1', 'b1', 'a2', 'a3', 'a4']);
    expect(order(requests('a1', 'a2', 'b1', 'c1', 'b2'))).toEqual(['a1', 'b1', 'c1', 'a2', 'b2']);
  });

  test('the client with the fewest slots comes first', () => {
    const turns = createTurns();
    const live = requests('a0', 'a1', 'b0');
    expect(turns.next(requests('a2', 'b1', 'c1'), live)).toMatchObject({ client: 'c' });
    expect(turns.next(requests('a2', 'b1'), live)).toMatchObject({ client: 'b' });
  });

  test('each other client goes at most once before a waiting client', () => {
    const turns = createTurns();
    const clients = ['a', 'b', 'c', 'd'];
    const waiting = clients.map((client) => ({ client }));
    const served = Array.from({ length: 40 }, () => {
      const { client } = turns.next(waiting, []);
      turns.taken({ client });
      return client;
    });
    for (let from = 0; from < 40; from += 4) expect(new Set(served.slice(from, from + 4)).size).toBe(4);
  });

  test('is the same until a slot is taken', () => {
    const turns = createTurns();
    const waiting = requests('a1', 'b1');
    expect([turns.next(waiting, []), turns.next(waiting, [])]).toEqual([waiting[0], waiting[0]]);
    turns.taken({ client: 'a' });
    expect(turns.next(waiting, [])).toBe(waiting[1]);
  });

  test('turns are shared by weight', () => {
    const turns = createTurns();
    const weights = { a: 1, b: 2, c: 5 };
    const waiting = Object.entries(weights).map(([client, weight]) => ({ client, weight }));
    const served = Array.from({ length: 80 }, () => {
      const next = turns.next(waiting, []);
      turns.taken(next);
      return next.client;
    });
    const countOf = (client: string): number => served.filter((one) => one === client).length;
    expect([countOf('a'), countOf('b'), countOf('c')]).toEqual([10, 20, 50]);
  });

  test('a client that comes later waits for no more than one turn of each other client, whatever it missed', () => {
    const turns = createTurns();
    const waiting = [{ client: 'a' }, { client: 'b' }];
    for (let turn = 0; turn < 100; turn++) turns.taken(turns.next(waiting, []));
    const served = Array.from({ length: 6 }, () => {
      const next = turns.next([...waiting, { client: 'late' }], []);
      turns.taken(next);
      return next.client;
    });
    expect(served.filter((client) => client === 'late')).toHaveLength(2);
    expect(served.indexOf('late')).toBeLessThanOrEqual(2);
  });

  test('slots count in relation to the weight', () => {
    const turns = createTurns();
    const heavy = { client: 'heavy', weight: 4 };
    expect(turns.next([heavy, { client: 'light' }], [heavy, heavy, { client: 'light' }])).toBe(heavy);
    expect(turns.next([heavy, { client: 'other' }], [heavy, heavy, heavy, heavy])).toEqual({ client: 'other' });
  });
});
