// Connections that do what no HTTP client does: send half a request, or do not read the response.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export async function openConnection(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  // The server may reset it, which is a good defense.
  const socket = connect(Number(port), hostname).on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

export function requestHead(path: string, length: number): string {
  return `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${length}\r\n\r\n`;
}

/** Everything that the server sends until it closes the connection. */
export async function readToEnd(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  // Not `once` from node:events, which rejects if the server resets the connection.
  if (!socket.destroyed) await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(chunks).toString('latin1');
}
