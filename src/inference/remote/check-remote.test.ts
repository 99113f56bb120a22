import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { checkRemoteEndpoints } from './check-remote.ts';
import { brokenAnswer, unreadable } from './http/remote-error.ts';
import type { EndpointFacts } from './probe/endpoint-facts.ts';
import { checkRemote } from './remotes/remote-record.ts';

const facts: EndpointFacts = { kind: 'vllm', models: [], features: new Set(), version: '' };

test('every endpoint is asked again, and an administrator learns which file is wrong', async () => {
  const clock = createFakeClock();
  const forgotten: string[] = [];
  const prober = {
    async facts({ url }: { readonly url: string }) {
      clock.advance(7);
      if (url === 'http://down') throw brokenAnswer('gpu', 'is down');
      if (url === 'http://keyless') throw unreadable('gpu', new Error('the key file /keys/gpu does not exist'));
      return facts;
    },
    forget: ({ url }: { readonly url: string }) => void forgotten.push(url),
  };
  const urls = ['http://up', 'http://down', 'http://keyless'];
  const remote = checkRemote({ name: 'gpu', endpoints: urls.map((url) => ({ url })) });
  const checked = await checkRemoteEndpoints(remote, { prober, clock }, new AbortController().signal);
  expect(checked.map(({ failure }) => failure)).toEqual([
    undefined,
    'the remote "gpu" is down',
    'the key file /keys/gpu does not exist',
  ]);
  expect(checked[0]).toMatchObject({ facts, endpoint: { url: 'http://up' }, milliseconds: expect.any(Number) });
  expect(forgotten).toEqual(urls);
});
