// A server of which only the stream of /api/pull is there, told by the test step by step, so that screens can be looked at
// while it stands still.

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ScriptedServer {
  readonly url: string;
  /** Sends an object of the stream; waits for the request if it has not come yet. */
  send(object: object): Promise<void>;
  /** Ends the stream. */
  finish(): Promise<void>;
  /** Resolves when the caller has left before the end. */
  readonly left: Promise<void>;
  close(): void;
}

export async function startScriptedServer(path = '/api/pull'): Promise<ScriptedServer> {
  let onRequest!: (response: ServerResponse) => void;
  let onLeft!: () => void;
  const request = new Promise<ServerResponse>((resolve) => {
    onRequest = resolve;
  });
  const left = new Promise<void>((resolve) => {
    onLeft = resolve;
  });
  const server = createServer((incoming, response) => {
    if (incoming.url !== path) return response.writeHead(404).end(`{"error":"there is no ${incoming.url}"}`);
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
