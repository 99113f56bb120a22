// Exchanges over a real connection with a scripted server.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { createVirtualScreen } from '../../../../test/support/terminal/virtual-screen.ts';
import { createClient } from '../../../client/client.ts';
import type { ShowResponseBody } from '../../../server/dialects/ollama/models/show-schema.ts';
import { exchangeMessages } from './exchange-messages.ts';
import { startSession } from './session.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections();
});

/** Answers every request with these lines, then ends the response or keeps it open. */
async function serve(objects: readonly object[], { ends = true } = {}) {
  let onClose: () => void = () => {};
  const clientClosed = new Promise<void>((resolve) => {
    onClose = resolve;
  });
  const server = createServer((_, response) => {
    response.on('close', onClose);
    for (const object of objects) response.write(`${JSON.stringify(object)}\n`);
    if (ends) response.end();
  }).listen(0, '127.0.0.1');
  servers.push(server.unref());
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, clientClosed };
}

async function exchange(url: string, signal = new AbortController().signal) {
  const screen = createVirtualScreen({ columns: 40, rows: 20 });
  const stdin = { isTerminal: true, stream: process.stdin, setRaw: () => {} };
  const client = createClient(url);
  const facts = { capabilities: ['completion'] } as unknown as ShowResponseBody;
  const session = startSession('m', facts, { wordWrap: true, verbose: false, hideThinking: false });
  const terminal = { stdout: screen, stderr: screen, stdin, restore: () => {} };
  const result = exchangeMessages({ client, terminal, clock: createFakeClock(), session, signal });
  return { screen, result: await result.finally(() => client.close()) };
}

const chunk = (content: string, thinking?: string) => ({
  message: { role: 'assistant', content, ...(thinking === undefined ? {} : { thinking }) },
  done: false,
});
const done = { message: { role: 'assistant', content: '' }, done: true, eval_count: 3 };

test('thinking is shown separately, and both are kept', async () => {
  const { url } = await serve([chunk('', 'Two and '), chunk('', 'two.'), chunk('Fo'), chunk('ur.'), done]);
  const { screen, result } = await exchange(url);
  expect(result.answer).toEqual({ role: 'assistant', content: 'Four.', thinking: 'Two and two.' });
  expect(result.statistics).toMatchObject({ eval_count: 3 });
  expect(screen.text()).toBe('Thinking...\nTwo and two.\n...done thinking.\n\nFour.');
});

test('an error during the answer is returned with the partial answer', async () => {
  const { url } = await serve([chunk('Once upon'), { error: 'the model was unloaded' }]);
  const { screen, result } = await exchange(url);
  expect(result.answer).toMatchObject({ content: 'Once upon' });
  expect(result.failure).toMatchObject({ message: 'the model was unloaded' });
  expect(screen.text()).toBe('Once upon');
});

test('a connection that closes early is an error', async () => {
  const { url } = await serve([chunk('Once upon')]);
  expect((await exchange(url)).result).toMatchObject({ answer: { content: 'Once upon' }, failure: { kind: 'broken' } });
});

test('stopping closes the connection and keeps the partial answer without an error', async () => {
  const { url, clientClosed } = await serve([chunk('Once upon')], { ends: false });
  const stopped = new AbortController();
  const watching = setInterval(() => stopped.abort(), 200);
  const { result } = await exchange(url, stopped.signal);
  clearInterval(watching);
  await clientClosed;
  expect(result).toEqual({ answer: { role: 'assistant', content: 'Once upon' } });
});

test('stopping before the first text gives no answer', async () => {
  const { url } = await serve([]);
  expect((await exchange(url, AbortSignal.abort())).result).toEqual({});
});
