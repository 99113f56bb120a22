import { expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import type { Endpoint, Outcome, Router } from '../endpoint.ts';
import type { EndpointBlocks } from '../events/endpoint-blocks.ts';
import type { FollowEndpoint } from '../events/token-places.ts';
import { createRouter } from './create-router.ts';
import type { CheckResult } from './endpoint-state.ts';
import { blockLength, busyTime, checkInterval, firstPause, maxFailures } from './limits.ts';

const none: ReadonlySet<string> = new Set();

function endpoint(id: string): Endpoint {
  return { id, url: `http://${id}.example`, kind: 'vllm', servedModel: 'm', keyRef: '', caFile: '' };
}

interface Setup {
  readonly ids?: readonly string[];
  /** By id; others do not say. A change takes effect with the next check. */
  readonly results?: Record<string, CheckResult>;
  readonly follow?: FollowEndpoint;
}

function setUp({ ids = ['a', 'b', 'c', 'd'], results = {}, follow }: Setup = {}) {
  const clock = createFakeClock();
  const checked: string[] = [];
  const router = createRouter(ids.map(endpoint), {
    clock,
    follow,
    // No jitter.
    random: () => 0.5,
    async check({ id }) {
      checked.push(id);
      return results[id] ?? {};
    },
  });
  /** Lets checks that are due run, and their results arrive. */
  const pass = async (milliseconds: number): Promise<void> => {
    clock.advance(milliseconds);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { clock, router, checked, pass };
}

function ask(router: Router, prefix: string, outcome: Outcome = 'ok', excluding = none): string | undefined {
  const choice = router.choose(prefix, excluding);
  choice?.release(outcome);
  return choice?.endpoint.id;
}

/** A prefix that is placed at this endpoint. */
function prefixFor(router: Router, id: string): string {
  for (let index = 0; ; index++) {
    const prefix = `${index} `.padEnd(blockLength, '.');
    if (ask(router, prefix) === id) return prefix;
  }
}

function failTimes(router: Router, prefix: string, times: number): void {
  for (let turn = 0; turn < times; turn++) ask(router, prefix, 'failed');
}

test('the turns of a conversation go to one endpoint', () => {
  const { router } = setUp();
  const first = 'a system prompt and a question '.repeat(40);
  const chosen = ask(router, first);
  for (let turn = 1; turn < 10; turn++) expect(ask(router, first + 'more text '.repeat(100 * turn))).toBe(chosen);
});

test('a conversation that had to move stays where it is', () => {
  const { router } = setUp();
  const prefix = 'a question '.repeat(100);
  const home = ask(router, prefix) as string;
  const moved = ask(router, prefix, 'ok', new Set([home]));
  expect(moved).not.toBe(home);
  // Both have evaluated it now; the one that is idle is chosen.
  const busy = [router.choose(prefix, none), router.choose(prefix, none)].map((choice) => choice?.endpoint.id);
  expect(new Set(busy)).toEqual(new Set([home, moved]));
});

test('requests with the same prompt share the load within the bound', () => {
  const { router } = setUp();
  const chosen = Array.from({ length: 40 }, () => router.choose('the same '.repeat(100), none)?.endpoint.id);
  for (const id of ['a', 'b', 'c', 'd']) {
    const load = chosen.filter((one) => one === id).length;
    expect(load).toBeGreaterThan(0);
    expect(load).toBeLessThanOrEqual(Math.ceil((1.25 * 40) / 4));
  }
});

test('an endpoint that keeps failing gets no requests until its pause is over, then one', () => {
  const { router, clock } = setUp();
  const prefix = prefixFor(router, 'b');
  failTimes(router, prefix, maxFailures);
  for (let turn = 0; turn < 20; turn++) expect(ask(router, `${turn} ${prefix}`)).not.toBe('b');
  clock.advance(firstPause);
  const probe = router.choose('any', none);
  expect(probe?.endpoint.id).toBe('b');
  for (let turn = 0; turn < 20; turn++) expect(ask(router, `${turn} ${prefix}`)).not.toBe('b');
  probe?.release('ok');
  expect(ask(router, prefixFor(router, 'b'))).toBe('b');
});

test('a probe that fails doubles the pause', () => {
  const { router, clock } = setUp();
  failTimes(router, prefixFor(router, 'b'), maxFailures);
  clock.advance(firstPause);
  expect(ask(router, 'any', 'failed')).toBe('b');
  clock.advance(firstPause);
  expect(ask(router, 'any')).not.toBe('b');
  clock.advance(firstPause);
  expect(ask(router, 'any')).toBe('b');
});

test.each<Outcome>(['refused', 'canceled', 'busy'])(
  'requests that end with "%s" do not open the circuit',
  (outcome) => {
    const { router, clock } = setUp();
    const prefix = prefixFor(router, 'b');
    for (let turn = 0; turn < 2 * maxFailures; turn++) {
      expect(ask(router, prefix, outcome)).toBe('b');
      clock.advance(busyTime);
    }
  },
);

test('an endpoint that is busy is avoided for a moment', () => {
  const { router, clock } = setUp();
  const prefix = prefixFor(router, 'b');
  expect(ask(router, prefix, 'busy')).toBe('b');
  expect(ask(router, `other ${prefix}`, 'canceled')).not.toBe('b');
  expect(ask(router, prefix, 'canceled')).not.toBe('b');
  clock.advance(busyTime);
  expect(['a', 'b', 'c', 'd']).toContain(ask(router, prefix));
});

test('a probe that is being answered closes the circuit', () => {
  const { router, clock } = setUp({ ids: ['a', 'b'] });
  failTimes(router, prefixFor(router, 'b'), maxFailures);
  clock.advance(firstPause);
  const probe = router.choose('any', none);
  expect(probe?.endpoint.id).toBe('b');
  probe?.begun();
  expect(new Set(Array.from({ length: 50 }, (_, index) => ask(router, `prompt ${index}`)))).toContain('b');
});

test('if no circuit is closed, requests are spread over all endpoints', () => {
  const { router } = setUp({ ids: ['a', 'b'] });
  for (const id of ['a', 'b']) failTimes(router, prefixFor(router, id), maxFailures);
  const choices = Array.from({ length: 6 }, () => router.choose('any', none));
  for (const id of ['a', 'b']) expect(choices.filter((choice) => choice?.endpoint.id === id)).toHaveLength(3);
  const [first, ...others] = choices;
  for (const choice of others) choice?.release('failed');
  first?.release('ok');
  // The first circuit is closed again, and the other one is not.
  for (let turn = 0; turn < 20; turn++) expect(ask(router, `${turn}`)).toBe(first?.endpoint.id);
});

test('a probe without a result lets the next request try', () => {
  const { router, clock } = setUp();
  failTimes(router, prefixFor(router, 'b'), maxFailures);
  clock.advance(firstPause);
  expect(ask(router, 'any', 'canceled')).toBe('b');
  expect(ask(router, 'any')).toBe('b');
});

test('an endpoint that was tried is not chosen again', () => {
  const { router } = setUp({ ids: ['a', 'b'] });
  expect(ask(router, 'any', 'failed', new Set(['a']))).toBe('b');
  expect(ask(router, 'any', 'failed', new Set(['a', 'b']))).toBeUndefined();
});

test('endpoints are added and removed while requests run', () => {
  const { router } = setUp({ ids: ['a', 'b'] });
  const running = router.choose('any', none);
  router.update(['b', 'c'].map(endpoint));
  running?.release('failed');
  const chosen = new Set(Array.from({ length: 50 }, (_, index) => ask(router, `prompt ${index}`)));
  expect(chosen).toEqual(new Set(['b', 'c']));
});

test('an endpoint with another key starts from the beginning', () => {
  const { router } = setUp({ ids: ['a', 'b'] });
  failTimes(router, prefixFor(router, 'b'), maxFailures);
  router.update([endpoint('a'), { ...endpoint('b'), keyRef: 'env:KEY' }]);
  expect(new Set(Array.from({ length: 50 }, (_, index) => ask(router, `prompt ${index}`)))).toContain('b');
});

test('checks that fail open the circuit, and the first that succeeds ends the pause', async () => {
  const results: Record<string, CheckResult> = { b: { isHealthy: false } };
  const { router, pass } = setUp({ results });
  const prefix = prefixFor(router, 'b');
  await pass(0);
  for (let turn = 1; turn < maxFailures; turn++) await pass(checkInterval);
  expect(ask(router, prefix)).not.toBe('b');
  // The pause is over, but the check says that a probe is of no use.
  await pass(checkInterval);
  expect(ask(router, prefix)).not.toBe('b');
  results['b'] = { isHealthy: true };
  await pass(checkInterval);
  expect(ask(router, 'any')).toBe('b');
});

test('successful checks do not end the pause of an endpoint whose requests fail', async () => {
  const { router, pass } = setUp({ results: { b: { isHealthy: true } } });
  const prefix = prefixFor(router, 'b');
  await pass(0);
  failTimes(router, prefix, maxFailures);
  await pass(firstPause);
  expect(ask(router, 'any', 'failed')).toBe('b');
  await pass(firstPause);
  expect(ask(router, 'any')).not.toBe('b');
});

test('an endpoint on this machine is preferred', () => {
  const { router } = setUp();
  router.update([endpoint('a'), { ...endpoint('b'), url: 'http://127.0.0.1:8080' }, endpoint('c')]);
  for (let index = 0; index < 20; index++) expect(ask(router, `prompt ${index}`)).toBe('b');
});

test('an endpoint that others keep busy gets fewer requests', async () => {
  const { router, pass } = setUp({ results: { b: { load: { running: 100, waiting: 0 } } } });
  const prefix = prefixFor(router, 'b');
  await pass(0);
  expect(ask(router, prefix)).not.toBe('b');
});

test('an endpoint with a long queue is full, until its report is too old', async () => {
  const results: Record<string, CheckResult> = { a: { load: { running: 0, waiting: 9 } } };
  const { router, pass } = setUp({ ids: ['a', 'b'], results });
  const prefix = prefixFor(router, 'a');
  await pass(0);
  expect(ask(router, prefix)).toBe('b');
  delete results['a'];
  await pass(10 * checkInterval);
  const other = Array.from({ length: 50 }, (_, index) => ask(router, `prompt ${index}`));
  expect(other).toContain('a');
});

test('nothing is checked without requests, nor after the end', async () => {
  const { router, checked, pass } = setUp();
  await pass(checkInterval * 10);
  expect(checked).toEqual([]);
  ask(router, 'any');
  await pass(0);
  expect(checked).toHaveLength(4);
  router.close();
  await pass(checkInterval * 10);
  expect(checked).toHaveLength(4);
});

test('events decide while those of all endpoints can be relied on; then text does again', () => {
  const known = new Map<string, EndpointBlocks>();
  const follow: FollowEndpoint = ({ id }, blocks) => {
    known.set(id, blocks);
    blocks.begin();
    return { close() {} };
  };
  const { router } = setUp({ follow });
  const tokens = Array.from({ length: 512 }, (_, index) => index);
  const prefix = 'the same prompt '.repeat(100);
  const home = ask(router, prefix) as string;
  const other = ['a', 'b', 'c', 'd'].find((id) => id !== home) as string;
  // The model may not be loaded there.
  expect(router.tokenizer()).toBeUndefined();
  known.get(other)?.apply({ type: 'stored', hashes: [1, 2], tokens, blockSize: 256 });
  const askWithTokens = (): string | undefined => {
    const choice = router.choose(prefix, none, tokens);
    choice?.release('ok');
    return choice?.endpoint.id;
  };
  expect(router.tokenizer()?.id).toBe(other);
  expect(askWithTokens()).toBe(other);
  known.get(home)?.reset();
  expect(router.tokenizer()).toBeUndefined();
  // Both have evaluated the text by now, and the events do not count.
  expect([home, other]).toContain(askWithTokens());
});

test('the events of an endpoint that was removed are not followed any more', () => {
  const closed: string[] = [];
  const { router } = setUp({ follow: ({ id }) => ({ close: () => void closed.push(id) }) });
  router.update(['a', 'b', 'c'].map(endpoint));
  expect(closed).toEqual(['d']);
  router.close();
  expect(closed.sort()).toEqual(['a', 'b', 'c', 'd']);
});
