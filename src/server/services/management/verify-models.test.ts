import { afterAll, beforeAll, expect, test } from 'vitest';
import { collect, createServiceFixture } from '../../../../test/support/service-fixture.ts';
import { createVerifyModels } from './verify-models.ts';

const fixture = createServiceFixture();
const createVerify = () => createVerifyModels({ store: fixture.store, root: `${fixture.root}/models` });
const verify = createVerify();
const never = new AbortController().signal;
beforeAll(() => fixture.putModel('m', { system: 'Be brief.' }));
afterAll(() => fixture.remove());

test('one verification runs at a time', async () => {
  const first = verify({ repair: false }, never);
  await first.next();
  let hasEnded = false;
  const second = collect(verify({ repair: false }, never)).then((findings) => {
    hasEnded = true;
    return findings;
  });
  // Verifications with turns of their own take as long as the second one would.
  for (let count = 0; count < 3; count++) await collect(createVerify()({ repair: false }, never));
  expect(hasEnded).toBe(false);
  await first.return(undefined);
  expect((await second).length).toBeGreaterThan(1);
});

test('a verification that waits ends with its request, and the next one runs', async () => {
  const first = verify({ repair: false }, never);
  await first.next();
  const controller = new AbortController();
  const waiting = collect(verify({ repair: false }, controller.signal));
  controller.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
  await first.return(undefined);
  expect((await collect(verify({ repair: false }, never))).length).toBeGreaterThan(1);
});
