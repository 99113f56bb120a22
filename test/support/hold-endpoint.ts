// A server with the API of OpenAI whose answers wait until they are released, for tests of requests that run at once.

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HoldEndpoint {
  readonly url: string;
  /** The answers that wait. */
  readonly held: () => number;
  /** Sends a word in each answer that waits. */
  write(word: string): void;
  /** Ends all answers that wait. */
  release(): void;
  close(): Promise<void>;
}

const part = (delta: object, reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;

export async function startHoldEndpoint(model: string): Promise<HoldEndpoint> {
  const waiting = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    request.resume();
    if (request.method !== 'POST') {
      if (request.url === '/v1/models') response.end(JSON.stringify({ data: [{ id: model, max_model_len: 4096 }] }));
      else response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(part({ role: 'assistant', content: 'Hello' }));
    waiting.add(response);
    response.once('close', () => waiting.delete(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    held: () => waiting.size,
    write(word) {
      for (const response of waiting) response.write(part({ content: word }));
    },
    release() {
      for (const response of waiting) {
        const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 };
        response.write(part({}, 'stop'));
        response.end(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
      }
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
