// Callers that want everything for themselves. The attacker has the address 127.0.0.1, the ordinary client 127.0.0.2.

import { setMaxListeners } from 'node:events';
import { expect } from 'vitest';
import { post } from '../../support/client.ts';
import { fetchFrom } from '../../support/from-address.ts';
import { pause } from '../../support/processes.ts';
import type { TestServer } from '../../support/server.ts';
import { thoroughly } from '../../support/thorough.ts';
import type { Attack } from '../harness.ts';
import { openConnection, readToEnd, requestHead } from '../raw-connection.ts';

const mebibyte = 2 ** 20;
const ordinaryFetch = fetchFrom('127.0.0.2');

const request = (numPredict: number) => ({
  model: 'endless',
  prompt: 'Hi',
  stream: false,
  options: { num_predict: numPredict },
});
const askOrdinarily = async ({ url }: TestServer): Promise<number> =>
  (await post(url, '/api/generate', request(1), { fetchWith: ordinaryFetch })).status;

interface EndlessAnswer {
  readonly chunks: number;
  readonly failure: unknown;
}

/** Reads an answer until the signal aborts. */
function readEndless({ url }: TestServer, signal: AbortSignal): EndlessAnswer {
  const answer = { chunks: 0, failure: undefined as unknown };
  const read = async (): Promise<void> => {
    const body = JSON.stringify({ ...request(100_000), stream: true });
    const response = await fetch(`${url}/api/generate`, { method: 'POST', body, signal });
    for await (const _ of response.body as ReadableStream<Uint8Array>) answer.chunks++;
    throw new Error('the answer has ended');
  };
  read().catch((error) => {
    if (!signal.aborted) answer.failure = error;
  });
  return answer;
}

/** Waits until every answer has more text than now. */
async function untilAllContinue(answers: readonly EndlessAnswer[]): Promise<void> {
  const before = answers.map(({ chunks }) => chunks);
  while (answers.some(({ chunks }, index) => chunks === before[index])) {
    for (const { failure } of answers) if (failure !== undefined) throw failure;
    await pause(20);
  }
}

async function generateWithoutEnd(server: TestServer): Promise<string> {
  const controller = new AbortController();
  try {
    const answers = Array.from({ length: 8 }, () => readEndless(server, controller.signal));
    await untilAllContinue(answers);
    const statuses = [await askOrdinarily(server), await askOrdinarily(server), await askOrdinarily(server)];
    expect(statuses).toEqual([200, 200, 200]);
    // Those that were paused go on.
    await untilAllContinue(answers);
    return '3 of 3 answers';
  } finally {
    controller.abort();
  }
}

interface Crowd {
  readonly clients: number;
  /** One request of a client; returns its status. */
  readonly send: (client: number, signal: AbortSignal) => Promise<number>;
  /** Requests of the ordinary client. */
  readonly asked: number;
  /** Whether the ordinary client begins after the first refusal. */
  readonly waitsForRefusal?: boolean;
}

/** The ordinary client beside clients that send one request after another, also if it was refused. */
async function askBesideCrowd(server: TestServer, { clients, send, asked, waitsForRefusal = false }: Crowd) {
  const controller = new AbortController();
  const { signal } = controller;
  // Each request of the crowd listens until it is collected.
  setMaxListeners(0, signal);
  let refused = 0;
  const crowd = Array.from({ length: clients }, async (_, client) => {
    while (!signal.aborted) if ((await send(client, signal)) === 503) refused++;
  });
  const over = Promise.allSettled(crowd);
  const statuses: number[] = [];
  try {
    while (waitsForRefusal && refused === 0) await pause(10);
    for (let count = 0; count < asked; count++) statuses.push(await askOrdinarily(server));
  } finally {
    controller.abort();
    await over;
  }
  const answered = statuses.filter((status) => status === 200).length;
  expect(answered).toBeGreaterThanOrEqual(0.9 * asked);
  return `${answered} of ${asked} answers`;
}

/** Fifty clients at one address that repeat every request at once. */
function retryInCrowds(server: TestServer): Promise<string> {
  const send = async (_: number, signal: AbortSignal): Promise<number> => {
    const { status } = await post(server.url, '/api/generate', request(2), { signal });
    await pause(10);
    return status;
  };
  return askBesideCrowd(server, { clients: 50, send, asked: thoroughly(50, 20), waitsForRefusal: true });
}

/** More clients than the queue has places, each with an address of its own and one request at a time. */
function crowdOfAddresses(server: TestServer): Promise<string> {
  const fetches = Array.from({ length: 40 }, (_, client) => fetchFrom(`127.0.1.${client + 1}`));
  const send = async (client: number, signal: AbortSignal): Promise<number> => {
    const fetchWith = fetches[client] as typeof fetch;
    return (await post(server.url, '/api/generate', request(4), { signal, fetchWith })).status;
  };
  return askBesideCrowd(server, { clients: fetches.length, send, asked: thoroughly(25, 6) });
}

/** A client that asks for another context with every request, beside one that asks for the usual one. No load follows. */
async function changeContexts(server: TestServer): Promise<string> {
  const controller = new AbortController();
  const { signal } = controller;
  const waits: number[] = [];
  await askOrdinarily(server);
  const runners = server.runners();
  const attacked = (async () => {
    for (let context = 600; !signal.aborted; context += 40) {
      const body = { ...request(2), options: { num_predict: 2, num_ctx: context } };
      await post(server.url, '/api/generate', body, { signal });
    }
  })().catch(() => {});
  for (let count = 0; count < thoroughly(50, 20); count++) {
    const begun = performance.now();
    expect(await askOrdinarily(server)).toBe(200);
    waits.push(performance.now() - begun);
    await pause(100);
  }
  controller.abort();
  await attacked;
  expect(server.runners()).toEqual(runners);
  return `longest wait ${Math.round(Math.max(...waits))} ms`;
}

/** Bodies that are together as large as the budget, each held open before its last byte. */
async function holdBodies({ url }: TestServer): Promise<void> {
  const length = 16 * mebibyte;
  const sockets = await Promise.all(Array.from({ length: 4 }, () => openConnection(url)));
  const ends = sockets.map(readToEnd);
  const start = '{"images":["';
  const sent = sockets.map(async (socket) => {
    const text = requestHead('/api/generate', length) + start + 'x'.repeat(length - start.length - 1);
    await new Promise((resolve) => socket.write(text, resolve));
  });
  await Promise.all(sent);
  const body = { model: 'absent', prompt: 'x'.repeat(7 * mebibyte) };
  const { status } = await post(url, '/api/generate', body, { fetchWith: ordinaryFetch });
  expect(status).toBe(404);
  await Promise.all(ends);
}

export const fairnessAttacks: readonly Attack[] = [
  { name: 'eight endless answers', run: generateWithoutEnd },
  { name: 'a crowd that retries', run: retryInCrowds },
  { name: 'a crowd of addresses', run: crowdOfAddresses },
  { name: 'ever new contexts', run: changeContexts },
  { name: 'bodies for the whole budget', run: holdBodies },
];
