// A proxy that forwards requests to a server and records them with their answers.

import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly requestBody: string;
  readonly status: number;
  readonly responseBody: string;
}

export interface Recorder {
  readonly url: string;
  /** In the order of their ends. */
  readonly exchanges: readonly Exchange[];
  stop(): Promise<void>;
}

export async function recordExchanges(target: string): Promise<Recorder> {
  const exchanges: Exchange[] = [];
  const server = createServer((incoming, outgoing) => {
    forward(target, incoming, outgoing).then(
      (exchange) => exchanges.push(exchange),
      (error) => outgoing.destroy(error),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    exchanges,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function forward(target: string, incoming: IncomingMessage, outgoing: ServerResponse): Promise<Exchange> {
  const { method = 'GET', url: path = '/', headers } = incoming;
  const requestBody = await readAll(incoming);
  const { host: _, ...others } = headers;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(target + path, { method, headers: others }, resolve);
    sent.on('error', reject);
    // An agent that gives up ends the request of the server too.
    outgoing.on('close', () => sent.destroy());
    sent.end(requestBody);
  });
  const status = response.statusCode ?? 0;
  outgoing.writeHead(status, response.headers);
  const responseBody = await readAll(response, (chunk) => outgoing.write(chunk));
  outgoing.end();
  return { method, path, requestBody, status, responseBody };
}

async function readAll(stream: IncomingMessage, onChunk: (chunk: Buffer) => void = () => {}): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) {
    chunks.push(chunk);
    onChunk(chunk);
  }
  return Buffer.concat(chunks).toString();
}
