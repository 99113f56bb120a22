// What a caller sees when endpoints of a remote fail: for each fault, a remote has one endpoint with it and one without.
// No request that has not begun may be lost. The results are printed as a table.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { generate, post } from '../support/client.ts';
import { addEndlessModel } from '../support/models/endless-ember.ts';
import {
  type Behavior,
  type FakeEndpoint,
  fakeModel,
  fakeWords,
  startFakeEndpoint,
  startSilentServer,
} from '../support/remote/fake-endpoint.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** How requests ended. `broken`: with an error after the first part. `lost`: with an error and without any part. */
interface Tally {
  complete: number;
  broken: number;
  lost: number;
  readonly errors: Set<string>;
}

interface ChatLine {
  readonly message?: { readonly content: string };
  readonly done?: boolean;
  readonly error?: string;
}

const rows: string[] = [];
const endpoints: FakeEndpoint[] = [];
/** Has little patience with silent endpoints. */
let front: TestServer;
/** Waits as long as a busy machine needs. */
let patient: TestServer;

beforeAll(async () => {
  [front, patient] = await Promise.all([startServer({ environment: { HEARTH_REMOTE_TIMEOUT: '1s' } }), startServer()]);
});
afterAll(async () => {
  await Promise.all([front?.stop(), patient?.stop(), ...endpoints.map((endpoint) => endpoint.close())]);
  console.log(
    `| fault of one of two endpoints | complete | ended with an error | lost |\n|---|---|---|---|\n${rows.join('\n')}`,
  );
});

async function addRemote(
  name: string,
  urls: readonly string[],
  { server = front, kind = 'openai', model = fakeModel } = {},
): Promise<void> {
  const added = await post(server.url, '/api/remotes', { name, urls, kind });
  expect(added.status, added.text).toBe(200);
  const created = await post(server.url, '/api/create', {
    model: name,
    from: `remote://${name}/${model}`,
    stream: false,
  });
  expect(created.status, created.text).toBe(200);
}

interface Request {
  readonly server?: TestServer;
  readonly model: string;
  readonly content: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly onPart?: () => void;
}

async function chat({
  server = front,
  model,
  content,
  options = {},
  onPart,
}: Request): Promise<{ text: string; error?: string }> {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content }], options });
  const response = await fetch(`${server.url}/api/chat`, { method: 'POST', body });
  let pending = '';
  let text = '';
  let error: string | undefined;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    pending += Buffer.from(chunk).toString();
    const lines = pending.split('\n');
    pending = lines.pop() ?? '';
    for (const line of lines.map((one) => JSON.parse(one) as ChatLine)) {
      text += line.message?.content ?? '';
      error ??= line.error;
      if (line.message?.content) onPart?.();
    }
  }
  if (pending !== '') error ??= (JSON.parse(pending) as ChatLine).error;
  return { text, error };
}

function count(tally: Tally, { text, error }: { readonly text: string; readonly error?: string }): void {
  if (error === undefined) tally.complete += 1;
  else if (text === '') tally.lost += 1;
  else tally.broken += 1;
  if (error !== undefined) tally.errors.add(error);
}

const newTally = (): Tally => ({ complete: 0, broken: 0, lost: 0, errors: new Set() });

function addRow(fault: string, { complete, broken, lost }: Tally): void {
  rows.push(`| ${fault} | ${complete} | ${broken} | ${lost} |`);
}

/** Four at a time, each with a prompt of its own. */
async function askMany(model: string, requests = 16): Promise<Tally> {
  const tally = newTally();
  const next = Array.from({ length: requests }, (_, index) => `question ${index}`).values();
  const work = async (): Promise<void> => {
    for (const content of next) count(tally, await chat({ model, content }));
  };
  await Promise.all(Array.from({ length: 4 }, work));
  return tally;
}

async function start(endpoint: Promise<FakeEndpoint>): Promise<FakeEndpoint> {
  endpoints.push(await endpoint);
  return endpoint;
}

const harmless: readonly Behavior[] = [
  'is slow',
  'never answers',
  'does not accept the key',
  'does not have the model',
  'has a full queue',
  'flaps',
];

test.each(harmless)('an endpoint that %s is not noticed', async (behavior) => {
  const [faulty, good] = [await start(startFakeEndpoint(behavior)), await start(startFakeEndpoint('answers'))];
  const name = behavior.replaceAll(' ', '-');
  await addRemote(name, [faulty.url, good.url]);
  const tally = await askMany(name);
  addRow(behavior, tally);
  expect(tally).toMatchObject({ complete: 16, broken: 0, lost: 0 });
  expect(faulty.asked()).toBeGreaterThan(0);
});

const midway: readonly (readonly [Behavior, RegExp])[] = [
  ['breaks off', /"breaks-off"/],
  ['stops in the middle', /"stops-in-the-middle" sent nothing for 1 seconds/],
  ['reports an error in the middle', /the engine died/],
];

test.each(midway)('an endpoint that %s ends the answer with an error that says so', async (behavior, message) => {
  const [faulty, good] = [await start(startFakeEndpoint(behavior)), await start(startFakeEndpoint('answers'))];
  const name = behavior.replaceAll(' ', '-');
  await addRemote(name, [faulty.url, good.url]);
  const tally = await askMany(name);
  addRow(behavior, tally);
  expect(tally.lost).toBe(0);
  expect(tally.broken).toBe(faulty.asked());
  for (const error of tally.errors) expect(error).toMatch(message);
});

test('an endpoint that accepts connections and sends nothing is not noticed', async () => {
  const [silent, good] = [await start(startSilentServer()), await start(startFakeEndpoint('answers'))];
  await addRemote('silent', [good.url, silent.url]);
  const tally = await askMany('silent');
  addRow('accepts connections and sends nothing', tally);
  expect(tally).toMatchObject({ complete: 16, broken: 0, lost: 0 });
});

test('an endpoint that is not there is not noticed, and one that is added is used without a restart', async () => {
  const [gone, good] = [await startFakeEndpoint('answers'), await start(startFakeEndpoint('answers'))];
  await gone.close();
  await addRemote('gone', [good.url, gone.url]);
  const tally = await askMany('gone');
  addRow('refuses connections', tally);
  expect(tally).toMatchObject({ complete: 16, broken: 0, lost: 0 });
  const added = await start(startFakeEndpoint('answers'));
  await post(front.url, '/api/remotes', { name: 'gone', urls: [added.url], kind: 'openai' });
  await fetch(`${front.url}/api/remotes/gone?url=${encodeURIComponent(good.url)}`, { method: 'DELETE' });
  const before = good.asked();
  expect(await chat({ model: 'gone', content: 'hello' })).toEqual({ text: fakeWords.join('') });
  expect([good.asked(), added.asked()]).toEqual([before, 1]);
});

test('if all endpoints fail, the error names the remote', async () => {
  const faulty = await start(startFakeEndpoint('does not accept the key'));
  await addRemote('locked', [faulty.url]);
  const { error } = await chat({ model: 'locked', content: 'hello' });
  expect(error).toMatch(/"locked" denied access/);
});

/** Four answers at once. When all have begun, the server is killed. */
async function askWhileKilling(server: TestServer, model: string): Promise<Tally> {
  const tally = newTally();
  const begun = new Set<number>();
  const run = async (index: number): Promise<void> => {
    const onPart = (): void => {
      if (begun.size < 4 && begun.add(index).size === 4) server.signal('SIGKILL');
    };
    count(
      tally,
      await chat({ server: patient, model, content: `story ${index}`, options: { num_predict: 200 }, onPart }),
    );
  };
  await Promise.all([0, 1, 2, 3].map(run));
  return tally;
}

test('a Hearth that is killed ends only the answers that it had begun; one that is stopped ends none', async () => {
  const backends = await Promise.all([startServer(), startServer({ environment: { HEARTH_SHUTDOWN_GRACE: '60s' } })]);
  const [killed, stopped] = backends as [TestServer, TestServer];
  try {
    for (const { store, url } of backends) {
      await addEndlessModel(store, 'endless');
      // Loaded, so that all answers begin at about the same time.
      await generate(url, { model: 'endless', prompt: 'Once', raw: true, options: { num_predict: 1 } });
    }
    await addRemote('pair', [killed.url, stopped.url], { server: patient, kind: 'ollama', model: 'endless' });
    const during = await askWhileKilling(killed, 'pair');
    addRow('is killed during answers', during);
    expect(during.lost).toBe(0);
    expect(during.broken).toBeGreaterThan(0);
    for (const error of during.errors) expect(error).toMatch(/"pair"/);

    const after = newTally();
    const short = (index: number) =>
      chat({ server: patient, model: 'pair', content: `again ${index}`, options: { num_predict: 8 } });
    for (const result of await Promise.all([0, 1, 2, 3, 4, 5].map(short))) count(after, result);
    addRow('was killed before', after);
    expect(after).toMatchObject({ complete: 6, broken: 0, lost: 0 });

    const draining = newTally();
    let isStopped = false;
    const onPart = (): void => {
      // A second signal would end it at once.
      if (!isStopped) stopped.signal('SIGTERM');
      isStopped = true;
    };
    count(
      draining,
      await chat({ server: patient, model: 'pair', content: 'the end', options: { num_predict: 100 }, onPart }),
    );
    addRow('is stopped with SIGTERM during an answer', draining);
    expect(draining).toMatchObject({ complete: 1, broken: 0, lost: 0 });
  } finally {
    await Promise.all(backends.map((server) => server.stop()));
  }
});
