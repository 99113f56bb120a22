// Limits how many requests a connection can send without waiting for the responses. All of them run at once, so one
// small packet could start thousands.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export const maxPipelined = 100;

/** `onExceeded` is called once per connection. */
export function createPipelineLimit(onExceeded: () => void) {
  const running = new WeakMap<Socket, number>();
  return {
    /** Counts a request until its response has ended. False: the connection has too many and is closed. */
    admit({ socket }: IncomingMessage, response: ServerResponse): boolean {
      // Requests that were in the same packet still arrive after the connection was closed.
      if (socket.destroyed) return false;
      const count = (running.get(socket) ?? 0) + 1;
      if (count > maxPipelined) {
        onExceeded();
        socket.destroy();
        return false;
      }
      running.set(socket, count);
      response.once('close', () => running.set(socket, (running.get(socket) ?? 1) - 1));
      return true;
    },
  };
}
