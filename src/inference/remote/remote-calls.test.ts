import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { HearthError } from '../../base/errors.ts';
import type { Choice, Endpoint, Outcome } from './endpoint.ts';
import { brokenAnswer, fromNetwork, fromStatus } from './http/remote-error.ts';
import type { RemoteHttp } from './http/remote-http.ts';
import type { EndpointFacts } from './probe/endpoint-facts.ts';
import { createRemoteCalls } from './remote-calls.ts';
import type { Target } from './remote-target.ts';
import { checkEndpoint } from './remotes/remote-record.ts';
import { UnansweredLimit } from './unanswered-limit.ts';

const facts: EndpointFacts = { kind: 'vllm', models: [], features: new Set(), version: '' };
const never = new AbortController().signal;

/** Calls to endpoints `a`, `b`, … whose work is scripted by host. */
function setUp(count: number, recover?: (error: unknown) => Promise<void>) {
  const endpoints = ['a', 'b', 'c'].slice(0, count).map((host) => checkEndpoint({ url: `http://${host}` }));
  const outcomes: [string, Outcome][] = [];
  const forgotten: string[] = [];
  const forget = (endpoint: Endpoint): void => void forgotten.push(hostOf(endpoint));
  const router = {
    choose(_: string, excluding: ReadonlySet<string>): Choice | undefined {
      const endpoint = endpoints.find(({ id }) => !excluding.has(id));
      const release = (outcome: Outcome): void => void outcomes.push([hostOf(endpoint as Endpoint), outcome]);
      return endpoint && { endpoint, begun: () => {}, release };
    },
    tokenizer: () => undefined,
    update: () => {},
    close: () => {},
  };
  const calls = createRemoteCalls({
    remote: 'gpu',
    model: 'llama',
    router,
    http: {} as RemoteHttp,
    prober: { facts: async () => facts, forget },
    sleepControl: { sleep: async () => {}, wake: async () => {}, forget },
    unanswered: new UnansweredLimit(createFakeClock()),
    timeout: 1000,
    ...(recover === undefined ? {} : { recover }),
  });
  const run = async (work: (host: string) => readonly (string | Error)[]): Promise<string[]> => {
    const parts: string[] = [];
    const perform = async function* ({ endpoint }: Target) {
      for (const step of work(hostOf(endpoint))) {
        if (step instanceof Error) throw step;
        yield step;
      }
    };
    try {
      for await (const part of calls.attempt({ prefix: '' }, perform, never)) parts.push(part);
    } catch (error) {
      parts.push((error as Error).message);
    }
    return parts;
  };
  return { run, calls, outcomes, forgotten };
}

const hostOf = ({ url }: Endpoint): string => new URL(url).host;
const refused = fromStatus('gpu', 400, '{"error":"no"}');
const busy = fromStatus('gpu', 503, '{"error":"full"}');
const dead = brokenAnswer('gpu', 'died');
const reset = fromNetwork('gpu', Object.assign(new Error(), { code: 'ECONNRESET' }));

test('a request is sent again after a failure before its first part, as long as that is allowed', async () => {
  let allowed = 1;
  const { run } = setUp(1, async (error) => {
    if (allowed-- <= 0) throw error;
  });
  let turn = 0;
  const answers = await run(() => (turn++ === 0 ? [dead] : ['yes']));
  expect([answers, turn]).toEqual([['yes'], 2]);
  expect(await run(() => [dead])).toEqual([dead.message]);
});

test('a refusal, and a failure after the first part, are never sent again', async () => {
  let asked = 0;
  const { run } = setUp(1, async () => {
    asked++;
  });
  expect(await run(() => [refused])).toEqual([refused.message]);
  expect(await run(() => ['one', dead])).toEqual(['one', dead.message]);
  expect(asked).toBe(0);
});

test('an endpoint that fails before its first part is replaced', async () => {
  const { run, outcomes } = setUp(3);
  expect(await run((host) => (host === 'a' ? [dead] : host === 'b' ? [busy] : ['yes']))).toEqual(['yes']);
  expect(outcomes).toEqual([
    ['a', 'failed'],
    ['b', 'busy'],
    ['c', 'ok'],
  ]);
});

test('nothing is repeated after the first part', async () => {
  const { run, outcomes } = setUp(2);
  expect(await run(() => ['one', dead])).toEqual(['one', 'the remote "gpu" died']);
  expect(outcomes).toEqual([['a', 'failed']]);
});

test('a refused request is not sent to others', async () => {
  const { run, outcomes } = setUp(2);
  expect(await run(() => [refused])).toEqual(['the remote "gpu" refused the request: no']);
  expect(await run(() => [new HearthError('unsupported', 'cannot')])).toEqual(['cannot']);
  expect(outcomes).toEqual([
    ['a', 'refused'],
    ['a', 'refused'],
  ]);
});

test('what is known about an endpoint that fails is forgotten: its facts, and whether it sleeps', async () => {
  const { run, forgotten } = setUp(3);
  await run((host) => (host === 'a' ? [busy] : host === 'b' ? [dead] : [refused]));
  expect(forgotten).toEqual(['b', 'b']);
});

test('the last error is reported if all fail', async () => {
  const { run } = setUp(2);
  expect(await run((host) => [host === 'a' ? dead : busy])).toEqual(['the remote "gpu" is busy: full']);
  expect(await setUp(0).run(() => [])).toEqual(['the remote "gpu" has no endpoint that can be used now']);
});

test('a connection that was closed is tried once more at the same endpoint', async () => {
  const { run, outcomes } = setUp(1);
  let attempts = 0;
  expect(await run(() => (++attempts === 1 ? [reset] : ['yes']))).toEqual(['yes']);
  expect(await run(() => [reset])).toEqual(['the remote "gpu" cannot be reached: the connection was closed']);
  expect(outcomes.map(([, outcome]) => outcome)).toEqual(['failed', 'ok', 'failed', 'failed']);
});

test('a caller that leaves has canceled', async () => {
  const { calls, outcomes } = setUp(1);
  const endless = async function* () {
    for (;;) yield 'x';
  };
  for await (const _ of calls.attempt({ prefix: '' }, endless, never)) break;
  expect(outcomes).toEqual([['a', 'canceled']]);
});
