import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import type { KeyScope } from '../../../../base/request/caller-key.ts';
import type { Viewer } from '../../../http/requests.ts';
import { queueRoute } from './queue-route.ts';
import type { QueueResponseBody } from './queue-schema.ts';

const waitingOf = (...ids: string[]) => ids.map((id) => ({ id, since: 0, for: 'runner' as const }));
const route = queueRoute({
  queue: () => [
    { name: 'ember:latest', waiting: waitingOf('anna-1', 'bert-1') },
    { name: 'secret:latest', waiting: waitingOf('bert-2') },
  ],
  requests: { isVisible: ({ client, seesAll }: Viewer, id: string) => seesAll || id.startsWith(client) },
});

async function ask(client: string, scope?: KeyScope) {
  const key =
    scope === undefined ? {} : { key: { id: client, name: client, scope, group: client, models: [], weight: 1 } };
  const request = { scope: { id: '1', client, signal: new AbortController().signal, ...key } } as FastifyRequest;
  const { queues } = (await route.handle(request, {} as FastifyReply)) as QueueResponseBody;
  return queues.map(({ model, waiting }) => [model, waiting.map(({ id = '?' }) => id)]);
}

test('without keys, a client sees that others wait, but not their ids', async () => {
  expect(await ask('anna')).toEqual([
    ['ember:latest', ['anna-1', '?']],
    ['secret:latest', ['?']],
  ]);
});

test('with a key, a client sees only its own requests, and an administrator sees all', async () => {
  expect(await ask('anna', 'manage')).toEqual([['ember:latest', ['anna-1']]]);
  expect(await ask('root', 'admin')).toEqual([
    ['ember:latest', ['anna-1', 'bert-1']],
    ['secret:latest', ['bert-2']],
  ]);
});
