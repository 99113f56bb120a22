import { describe, expect, test } from 'vitest';
import { createTurns } from './turns.ts';

const requests = (...names: string[]) => names.map((name) => ({ client: name[0] as string, name }));

/** One place, and everybody who waits gets it in turn. */
function order(waiting: { client: string; name: string }[]): string[] {
  const turns = createTurns<{ client: string; name: string }>();
  const left = [...waiting];
  const served: string[] = [];
  while (left.length > 0) {
    const next = turns.next(left, []);
    left.splice(left.indexOf(next), 1);
    served.push(next.name);
  }
  return served;
}

describe('whose turn it is', () => {
  test('requests of one client go in order of arrival', () => {
    expect(order(requests('a1', 'a2', 'a3'))).toEqual(['a1', 'a2', 'a3']);
  });

  test('one request does not wait behind the many of another client', () => {
    expect(order(requests('a1', 'a2', 'a3', 'a4', 'b1'))).toEqual(['a1', 'b1', 'a2', 'a3', 'a4']);
    expect(order(requests('a1', 'a2', 'b1', 'c1', 'b2'))).toEqual(['a1', 'b1', 'c1', 'a2', 'b2']);
  });

  test('who has fewer places comes first', () => {
    const turns = createTurns();
    const live = requests('a0', 'a1', 'b0');
    expect(turns.next(requests('a2', 'b1', 'c1'), live)).toMatchObject({ client: 'c' });
    expect(turns.next(requests('a2', 'b1'), live)).toMatchObject({ client: 'b' });
  });

  test('nobody waits for ever: a client is passed over by each other client once at most', () => {
    const turns = createTurns<{ client: string }>();
    const clients = ['a', 'b', 'c', 'd'];
    const waiting = clients.map((client) => ({ client }));
    const served = Array.from({ length: 40 }, () => turns.next(waiting, []).client);
    for (let from = 0; from < 40; from += 4) expect(new Set(served.slice(from, from + 4)).size).toBe(4);
  });
});
