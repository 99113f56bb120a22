import { expect, test } from 'vitest';
import { parsePassedServers } from '../../base/request/passed-servers.ts';
import { runInRequest } from '../../base/request/request-scope.ts';
import { createLoopGuard } from './loop-guard.ts';

const { check, headers } = createLoopGuard('here');
const having = <Result>(passedServers: readonly string[] | undefined, work: () => Result): Result =>
  runInRequest(
    {
      id: 'r',
      client: 'c',
      signal: new AbortController().signal,
      passedServers,
    },
    work,
  );

test('a request that comes from a client or from other servers is sent on', () => {
  for (const passed of [undefined, [], ['there'], [...'abcdefg']]) expect(having(passed, check)).toBeUndefined();
});

test('a request that comes back is not sent on', () => {
  for (const passed of [['here'], ['here', 'there'], ['a', 'here', 'b']])
    expect(() => having(passed, check)).toThrow(
      expect.objectContaining({ code: 'remote_loop', message: expect.stringContaining('form a loop') }),
    );
});

test('a request that has passed eight servers is not sent on', () => {
  expect(() => having([...'abcdefgh'], check)).toThrow(
    expect.objectContaining({ code: 'remote_loop', message: expect.stringContaining('has passed 8 servers') }),
  );
});

test('the header has the servers that the request has passed, and this one', () => {
  expect(headers()).toEqual({ 'x-hearth-via': 'here' });
  expect(having(['a', 'b'], headers)).toEqual({ 'x-hearth-via': 'a, b, here' });
});

test('two servers that send a request to each other stop after one round', () => {
  const servers = ['here', 'there'].map(createLoopGuard);
  const send = (turn: number, passed: readonly string[]): number =>
    having(passed, () => {
      const server = servers[turn % 2] as (typeof servers)[number];
      server.check();
      return send(turn + 1, parsePassedServers(server.headers()['x-hearth-via'] ?? ''));
    });
  expect(() => send(0, [])).toThrow('the remotes form a loop');
});
