import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { sendList } from './send-list.ts';

const numbers = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index));

test.each([0, 1, 3, 20_000, 200_000])(
  'a list of %i elements is complete, and only a short one has a length',
  async (count) => {
    const app = Fastify();
    app.get('/', (_, reply) => sendList(reply, { head: '{"a":[', elements: numbers(count), tail: '],"b":1}' }));
    const response = await app.inject({ url: '/' });
    expect(response.json()).toEqual({ a: numbers(count).map(Number), b: 1 });
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect('content-length' in response.headers).toBe(count < 1000);
  },
);

test('others run while a long list is written', async () => {
  const app = Fastify();
  let turns = 0;
  let running = true;
  const turn = (): void => {
    turns++;
    if (running) setImmediate(turn);
  };
  app.get('/', (_, reply) => sendList(reply, { head: '[', elements: numbers(500_000), tail: ']' }));
  turn();
  await app.inject({ url: '/' });
  running = false;
  expect(turns).toBeGreaterThan(50);
});
