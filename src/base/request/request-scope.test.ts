import { expect, test } from 'vitest';
import { currentRequest, type RequestScope, runInRequest, runOutsideRequests } from './request-scope.ts';

const scope = (id: string): RequestScope => ({ id, client: 'c', signal: new AbortController().signal });

async function* later() {
  yield currentRequest()?.id;
  await new Promise((resolve) => setImmediate(resolve));
  yield currentRequest()?.id;
}

test('the scope follows asynchronous work through awaits and generators', async () => {
  const seen = await Promise.all(
    ['a', 'b'].map((id) =>
      runInRequest(scope(id), async () => {
        const ids: (string | undefined)[] = [];
        for await (const id of later()) ids.push(id);
        return ids;
      }),
    ),
  );
  expect(seen).toEqual([
    ['a', 'a'],
    ['b', 'b'],
  ]);
  expect(currentRequest()).toBeUndefined();
});

test('work started outside of requests has no scope', async () => {
  const inner = await runInRequest(scope('a'), () =>
    runOutsideRequests(() => new Promise((resolve) => setImmediate(() => resolve(currentRequest())))),
  );
  expect(inner).toBeUndefined();
});
