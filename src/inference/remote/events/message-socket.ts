// A connection to a socket of ZeroMQ: sends messages, and gives those that arrive to a listener. What the other side may
// send in a second is limited; more waits there.

import { connect, type Socket } from 'node:net';
import type { Clock } from '../../../base/time/clock.ts';
import { checkReachable, remoteLookup } from '../http/check-reachable.ts';
import { connectTimeout, maxBytesPerSecond } from './limits.ts';
import { encodeGreeting, encodeMessage, encodeReady, FrameReader } from './zmtp-frames.ts';

export interface EventsAddress {
  /** The name of the remote, for messages. */
  readonly remote: string;
  readonly host: string;
  readonly port: number;
}

interface MessageSocketOptions extends EventsAddress {
  /** The type of this side, such as SUB. */
  readonly type: string;
  /** Sent first. */
  readonly first: readonly Uint8Array[];
  readonly clock: Clock;
  /** Called when the other side has answered, and gets what is sent first. */
  readonly onOpen?: () => void;
  /** May throw: then the connection is closed. */
  readonly onMessage: (parts: readonly Buffer[]) => void;
  /** Called once. */
  readonly onClosed: (error: Error | undefined) => void;
}

const keepAliveMs = 10_000;
const budgetPeriodMs = 100;

/** Throws if the host is an address that no remote can have. */
export function openMessageSocket(options: MessageSocketOptions): { close(): void } {
  const { remote, host, port, type, first, clock, onOpen = () => {}, onMessage, onClosed } = options;
  checkReachable(host, remote, 'remote_failed');
  const socket = connect({ host, port, lookup: remoteLookup, keepAlive: true, keepAliveInitialDelay: keepAliveMs });
  // A subscription keeps no process alive.
  socket.unref();
  const reader = new FrameReader();
  const limiter = limitBytes(socket, clock);
  const timer = clock.after(connectTimeout, () => socket.destroy(new Error('the connection took too long')));
  let failure: Error | undefined;
  let isOpen = false;
  socket.on('connect', () => void socket.write(encodeGreeting()));
  // ZeroMQ closes a connection on which more comes before its own greeting was sent.
  const begin = (): void => {
    isOpen = true;
    timer.cancel();
    socket.write(Buffer.concat([encodeReady(type), encodeMessage(first)]));
    onOpen();
  };
  socket.on('data', (chunk) => {
    limiter.count(chunk.length);
    try {
      for (const message of reader.push(chunk)) onMessage(message);
      if (!isOpen && reader.hasGreeting) begin();
    } catch (error) {
      socket.destroy(error as Error);
    }
  });
  socket.on('error', (error) => {
    failure = error;
  });
  socket.on('close', () => {
    timer.cancel();
    limiter.close();
    onClosed(failure);
  });
  return { close: () => void socket.destroy() };
}

/** Stops reading for a moment when the other side has sent its share of it. */
function limitBytes(socket: Socket, clock: Clock) {
  const share = (maxBytesPerSecond * budgetPeriodMs) / 1000;
  let left = share;
  let timer: ReturnType<Clock['after']> | undefined;
  const refill = (): void => {
    left = share;
    timer = undefined;
    socket.resume();
  };
  return {
    count(bytes: number): void {
      left -= bytes;
      timer ??= clock.after(budgetPeriodMs, refill);
      if (left < 0) socket.pause();
    },
    close: () => timer?.cancel(),
  };
}
