// A server with its version and a single streaming endpoint, whose objects the test sends step by step, so that screens can be checked
// in between.

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ScriptedStreamServer {
  readonly url: string;
  /** Sends an object; waits for the request first. */
  send(object: object): Promise<void>;
  /** Ends the stream. */
  finish(): Promise<void>;
  /** Resolves when the client disconnects before the end. */
  readonly left: Promise<void>;
  close(): void;
}

export async function startScriptedStreamServer(path = '/api/pull'): Promise<ScriptedStreamServer> {
  let onRequest!: (response: ServerResponse) => void;
  let onLeft!: () => void;
  const request = new Promise<ServerResponse>((resolve) => {
    onRequest = resolve;
  });
  const left = new Promise<void>((resolve) => {
    onLeft = resolve;
  });
  const server = createServer((incoming, response) => {
    if (incoming.url === '/api/version') return response.end('{"version":"0.30.0"}');
    if (incoming.url !== path) return response.writeHead(404).end(`{"error":"${incoming.url} not found"}`);
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.on('close', () => {
      if (!response.writableEnded) onLeft();
    });
    return onRequest(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    send: async (object) => void (await request).write(`${JSON.stringify(object)}\n`),
    finish: async () => void (await request).end(),
    left,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
