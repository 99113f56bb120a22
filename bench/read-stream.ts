// One streamed request, read to its end. Uses plain HTTP, because a heavier client would take CPU time from the engine.

import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';

export interface ReadStream {
  /** Those that are not empty. */
  readonly lines: readonly string[];
  /** Milliseconds from the request to the first bytes of the answer. */
  readonly firstText: number;
  /** Milliseconds from the first to the last bytes of the answer. */
  readonly streaming: number;
}

export interface ReadStreamOptions {
  /** Otherwise, idle connections are used again. */
  readonly newConnection?: boolean;
}

export async function readStream(url: string, body: object, options: ReadStreamOptions = {}): Promise<ReadStream> {
  const call = request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    ...(options.newConnection ? { agent: false } : {}),
  });
  const sent = performance.now();
  call.end(JSON.stringify(body));
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  let firstText: number | undefined;
  let lastText = 0;
  let received = '';
  response.on('data', (chunk: Buffer) => {
    lastText = performance.now() - sent;
    firstText ??= lastText;
    received += chunk.toString();
  });
  await once(response, 'end');
  if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}: ${received.slice(0, 500)}`);
  if (firstText === undefined) throw new Error('the stream has no text');
  return { lines: received.split('\n').filter((line) => line !== ''), firstText, streaming: lastText - firstText };
}
