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
    turns.taken(next.client);
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
      turns.taken(client);
      return client;
    });
    for (let from = 0; from < 40; from += 4) expect(new Set(served.slice(from, from + 4)).size).toBe(4);
  });

  test('is the same until a slot is taken', () => {
    const turns = createTurns();
    const waiting = requests('a1', 'b1');
    expect([turns.next(waiting, []), turns.next(waiting, [])]).toEqual([waiting[0], waiting[0]]);
    turns.taken('a');
    expect(turns.next(waiting, [])).toBe(waiting[1]);
  });
});
