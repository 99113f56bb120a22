import { describe, expect, test } from 'vitest';
import { SlotOrder } from './slot-order.ts';

const requests = (...names: string[]) => names.map((name) => ({ client: name[0] as string, name }));

/** The order in which a single slot serves the requests. */
function order(waiting: { client: string; name: string }[]): string[] {
  const order = new SlotOrder();
  const left = [...waiting];
  const served: string[] = [];
  while (left.length > 0) {
    const next = order.next(left, []);
    order.taken(next);
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
    const order = new SlotOrder();
    const live = requests('a0', 'a1', 'b0');
    expect(order.next(requests('a2', 'b1', 'c1'), live)).toMatchObject({ client: 'c' });
    expect(order.next(requests('a2', 'b1'), live)).toMatchObject({ client: 'b' });
  });

  test('each other client goes at most once before a waiting client', () => {
    const order = new SlotOrder();
    const clients = ['a', 'b', 'c', 'd'];
    const waiting = clients.map((client) => ({ client }));
    const served = Array.from({ length: 40 }, () => {
      const { client } = order.next(waiting, []);
      order.taken({ client });
      return client;
    });
    for (let from = 0; from < 40; from += 4) expect(new Set(served.slice(from, from + 4)).size).toBe(4);
  });

  test('is the same until a slot is taken', () => {
    const order = new SlotOrder();
    const waiting = requests('a1', 'b1');
    expect([order.next(waiting, []), order.next(waiting, [])]).toEqual([waiting[0], waiting[0]]);
    order.taken({ client: 'a' });
    expect(order.next(waiting, [])).toBe(waiting[1]);
  });

  test('slots are shared by weight', () => {
    const order = new SlotOrder();
    const weights = { a: 1, b: 2, c: 5 };
    const waiting = Object.entries(weights).map(([client, weight]) => ({ client, weight }));
    const served = Array.from({ length: 80 }, () => {
      const next = order.next(waiting, []);
      order.taken(next);
      return next.client;
    });
    const countOf = (client: string): number => served.filter((one) => one === client).length;
    expect([countOf('a'), countOf('b'), countOf('c')]).toEqual([10, 20, 50]);
  });

  test('a client that comes later waits for no more than one turn of each other client, whatever it missed', () => {
    const order = new SlotOrder();
    const waiting = [{ client: 'a' }, { client: 'b' }];
    for (let turn = 0; turn < 100; turn++) order.taken(order.next(waiting, []));
    const served = Array.from({ length: 6 }, () => {
      const next = order.next([...waiting, { client: 'late' }], []);
      order.taken(next);
      return next.client;
    });
    expect(served.filter((client) => client === 'late')).toHaveLength(2);
    expect(served.indexOf('late')).toBeLessThanOrEqual(2);
  });

  test('slots count in relation to the weight', () => {
    const order = new SlotOrder();
    const heavy = { client: 'heavy', weight: 4 };
    expect(order.next([heavy, { client: 'light' }], [heavy, heavy, { client: 'light' }])).toBe(heavy);
    expect(order.next([heavy, { client: 'other' }], [heavy, heavy, heavy, heavy])).toEqual({ client: 'other' });
  });
});
