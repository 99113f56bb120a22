import { expect, test } from 'vitest';
import { currentRequest, type RequestScope, runInRequest, runOutsideRequests } from './request-scope.ts';

const scope = (id: string): RequestScope => ({ id, client: 'c', signal: new AbortController().signal });

async function* later() {
  yield currentRequest()?.id;
  await new Promise((resolve) => setImmediate(resolve));
  yield currentRequest()?.id;
}

test('travels with the work, through waits and generators, and is not mixed up', async () => {
  const seen = await Promise.all(
    ['a', 'b'].map((id) =>
      runInRequest(scope(id), async () => {
        const ids: (string | undefined)[] = [];
        for await (const one of later()) ids.push(one);
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

test('what is set going outside of requests does not know of one', async () => {
  const known = await runInRequest(scope('a'), () =>
    runOutsideRequests(() => new Promise((resolve) => setImmediate(() => resolve(currentRequest())))),
  );
  expect(known).toBeUndefined();
});
