import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { type ErrorCode, HearthError } from '../../../base/errors.ts';
import { type Logger, silentLogger } from '../../../base/logger.ts';
import { RequestReport } from '../../../base/request/request-report.ts';
import { ollamaDialect } from '../../dialects/shared/ollama-dialect.ts';
import { headersOnly, Spacing, sendStream } from './send-stream.ts';

const server = createServer();
afterEach(() => server.close());

/** The address of a server that answers with these objects. */
async function serve(objects: () => AsyncIterable<object>, logger: Logger): Promise<string> {
  server.removeAllListeners('request').on('request', (_, raw: ServerResponse) => {
    const scope = { id: '1', client: '', signal: new AbortController().signal };
    const request = { scope, report: new RequestReport() };
    const reply = { raw, request, hijack: () => {}, getHeaders: () => ({}) };
    void sendStream(reply as unknown as FastifyReply, objects(), { dialect: ollamaDialect, logger });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

/** The lines of a stream that fails after its first object, and the errors that are logged. */
async function failWith(code: ErrorCode): Promise<{ lines: string[]; logged: string[] }> {
  const logged: string[] = [];
  const logger = { ...silentLogger, error: (message: string) => logged.push(message) };
  async function* objects(): AsyncGenerator<object> {
    yield { response: 'one' };
    throw new HearthError(code, 'two is missing');
  }
  const text = await (await fetch(await serve(objects, logger), { headers: { connection: 'close' } })).text();
  return { lines: text.trim().split('\n'), logged };
}

test('an error of the server ends the stream and is logged', async () => {
  const { lines, logged } = await failWith('runner_died');
  expect(lines).toEqual(['{"response":"one"}', '{"error":"two is missing","code":"runner_died"}']);
  expect(logged).toEqual(['stream failed']);
});

test.each(['unauthorized', 'cancelled', 'busy'] as const)('%s ends the stream and is not logged', async (code) => {
  const { lines, logged } = await failWith(code);
  expect(lines.at(-1)).toContain('two is missing');
  expect(logged).toEqual([]);
});

test('objects wait for the gap between them', async () => {
  const written: string[] = [];
  const clock = createFakeClock();
  const raw = {
    destroyed: false,
    writeHead: () => raw,
    write: (text: string) => written.push(text) > 0,
    end: () => {},
  };
  const request = { scope: { id: '1', client: '', signal: new AbortController().signal }, report: new RequestReport() };
  const reply = { raw, request, hijack: () => {}, getHeaders: () => ({}) } as unknown as FastifyReply;
  const objects = Readable.from([{ response: 'one' }, { response: 'two' }]);
  const sent = sendStream(reply, objects, {
    dialect: ollamaDialect,
    logger: silentLogger,
    spacing: new Spacing(clock),
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(written).toEqual(['{"response":"one"}\n']);
  clock.advance(5);
  await sent;
  expect(written).toEqual(['{"response":"one"}\n', '{"response":"two"}\n']);
});

test('the headers are sent before an object that takes long', async () => {
  let proceed = (): void => {};
  const slow = new Promise<void>((resolve) => {
    proceed = resolve;
  });
  async function* objects(): AsyncGenerator<object> {
    yield headersOnly;
    await slow;
    yield { response: 'late' };
  }
  const address = await serve(objects, silentLogger);
  // Arrives although there is no object.
  const response = await fetch(address, { headers: { connection: 'close' } });
  expect(response.status).toBe(200);
  proceed();
  expect(await response.text()).toBe('{"response":"late"}\n');
});
