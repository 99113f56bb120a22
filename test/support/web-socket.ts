// A WebSocket client that collects what the server sends.

import { once } from 'node:events';
import { type ClientOptions, WebSocket } from 'ws';

/** An event of a response, or an error. */
export interface SocketEvent {
  readonly type: string;
  readonly status?: number;
  readonly error?: { readonly code: string; readonly message: string };
  readonly response?: { readonly id: string; readonly status: string; readonly output: readonly unknown[] };
  readonly sequence_number?: number;
}

export interface TestSocket {
  readonly socket: WebSocket;
  readonly events: SocketEvent[];
  send(message: object | string): void;
  /** Sends a message, and resolves with the events up to the last one of its response. */
  turn(message: object | string): Promise<SocketEvent[]>;
  /** Resolves with the events up to the end of the next response. */
  next(): Promise<SocketEvent[]>;
  /** Resolves with the code of the close. */
  readonly closed: Promise<number>;
}

const isLast = ({ type }: SocketEvent): boolean =>
  type === 'error' || /^response\.(?:completed|incomplete|failed)$/.test(type);

/** Rejects if the handshake is refused. */
export async function openWebSocket(url: string, options: ClientOptions = {}): Promise<TestSocket> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/v1/responses`, options);
  const events: SocketEvent[] = [];
  let taken = 0;
  let notify = (): void => {};
  socket.on('message', (data) => {
    events.push(JSON.parse(String(data)));
    notify();
  });
  const closed = once(socket, 'close').then(([code]) => {
    notify();
    return code as number;
  });
  // A refused handshake rejects `open` as well.
  closed.catch(() => {});
  await once(socket, 'open');
  const next = async (): Promise<SocketEvent[]> => {
    for (;;) {
      const end = events.findIndex((event, index) => index >= taken && isLast(event));
      if (end !== -1) {
        const turn = events.slice(taken, end + 1);
        taken = end + 1;
        return turn;
      }
      if (socket.readyState === WebSocket.CLOSED) throw new Error('the connection was closed');
      await new Promise<void>((resolve) => {
        notify = resolve;
      });
    }
  };
  const send = (message: object | string): void =>
    socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  return {
    socket,
    events,
    send,
    next,
    turn: (message) => {
      send(message);
      return next();
    },
    closed,
  };
}
